//! The program of the guide to hosts, as it stands there: see `build.rs`.

include!(concat!(env!("OUT_DIR"), "/guide.rs"));
