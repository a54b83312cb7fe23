//! Tracy's client: each zone adds two messages to a queue, where they wait for a server.

use iprof_peers::contender::{self, Contender};
use std::time::Duration;

pub(crate) const TRACY: Contender = Contender {
    start: || {
        tracy_client::Client::start();
        // Wait while Tracy's thread calibrates the clocks, which is not part of the zones' cost.
        std::thread::sleep(Duration::from_millis(500));
    },
    frame: tracy_client::frame_mark,
    work: &WORK,
    ..contender::TRACY
};

macro_rules! enter {
    ($name:ident) => {
        let _zone = ::tracy_client::span!(stringify!($name));
    };
}
work!(zone, counter);
