//! Replaces `with_crates` in builds without the feature `export`. Writing any of these formats returns an error.

use crate::format::NoFormat;
use iprof_process::{FrameSnapshot, Snapshot};
use iprof_report::Report;
use std::io::{self, Write};

/// The feature that these formats require.
pub(super) const MISSING_FEATURE: Option<&str> = Some("export");

pub(super) use {
    write as write_csv, write as write_gprof, write as write_json, write as write_pprof,
    write as write_speedscope,
};
pub(super) use {
    write_frames as write_html, write_frames as write_trace, write_frames as write_compressed_trace,
};
pub(super) use {write_report as write_csv_report, write_report as write_json_report};

pub(super) fn write(_: &Snapshot, _: impl Write) -> io::Result<()> {
    lacks_feature()
}

pub(super) fn write_frames(
    _: &Snapshot,
    _: impl IntoIterator<Item = FrameSnapshot>,
    _: impl Write,
) -> io::Result<()> {
    lacks_feature()
}

pub(super) fn write_report(_: &Report, _: impl Write) -> io::Result<()> {
    lacks_feature()
}

fn lacks_feature() -> io::Result<()> {
    let feature = MISSING_FEATURE;
    Err(NoFormat { feature }.into())
}
