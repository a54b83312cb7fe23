//! puffin: scopes are written to a stream, which becomes part of the frame whenever a thread's
//! outermost scope ends.

use crate::contender::{BARE, Contender};
use crate::tally;
use puffin::{FrameData, GlobalFrameView, GlobalProfiler, Reader, ScopeCollection, Stream};
use std::sync::{Arc, Mutex, OnceLock};

pub(crate) const PUFFIN: Contender = Contender {
    name: "puffin",
    package: Some("puffin"),
    set: "scopes on; new_frame() per frame; a GlobalFrameView as it comes keeps 1,000 frames and 256 slow ones",
    start,
    frame: || GlobalProfiler::lock().new_frame(),
    counts: Some(tally::added),
    work: &WORK,
    ..BARE
};

static VIEW: OnceLock<GlobalFrameView> = OnceLock::new();

fn start() {
    puffin::set_scopes_on(true);
    VIEW.get_or_init(GlobalFrameView::default);
    let names = Mutex::new(ScopeCollection::default());
    GlobalProfiler::lock().add_sink(Box::new(move |frame| count(&frame, &names)));
}

fn count(frame: &Arc<FrameData>, names: &Mutex<ScopeCollection>) {
    let mut names = names.lock().expect("nobody panics with it");
    for details in &frame.scope_delta {
        names.insert(details.clone());
    }
    if !tally::is_watching() {
        return;
    }
    let Ok(unpacked) = frame.unpacked();
    for stream in unpacked.thread_streams.values() {
        count_from(&stream.stream, 0, &names);
    }
}

fn count_from(stream: &Stream, offset: u64, names: &ScopeCollection) {
    let reader = Reader::with_offset(stream, offset).expect("an offset of this stream");
    for scope in reader {
        let scope = scope.expect("a whole scope");
        let details = names.fetch_by_id(&scope.id).expect("a scope with a name");
        tally::add(details.name(), 1);
        count_from(stream, scope.child_begin_position, names);
    }
}

macro_rules! enter {
    ($name:ident) => {
        ::puffin::profile_scope!(stringify!($name));
    };
}
work!(zone, counter);
