//! puffin: scopes are written to a stream, which is added to the frame when a thread's outermost scope ends.

use crate::contender::{BARE, Contender};
use crate::entry_counts::{self, Counts};
use puffin::{GlobalFrameView, GlobalProfiler, Reader, ScopeId, Stream};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) const PUFFIN: Contender = Contender {
    name: "puffin",
    package: Some("puffin"),
    set: "scopes on; new_frame() per frame; a GlobalFrameView as it comes keeps 1,000 frames and 256 slow ones",
    start,
    frame: || GlobalProfiler::lock().new_frame(),
    mark,
    counts: Some(counts),
    work: &WORK,
    ..BARE
};

static VIEW: OnceLock<GlobalFrameView> = OnceLock::new();
/// The number of the first frame after the mark.
static MARK: AtomicU64 = AtomicU64::new(0);

fn view() -> &'static GlobalFrameView {
    VIEW.get_or_init(GlobalFrameView::default)
}

fn start() {
    puffin::set_scopes_on(true);
    view();
}

fn mark() {
    let newest = view().lock().latest_frame();
    let next = newest.map_or(0, |frame| frame.frame_index() + 1);
    MARK.store(next, Relaxed);
}

fn counts() -> Counts {
    let view = view().lock();
    let mark = MARK.load(Relaxed);
    let mut entries = HashMap::new();
    for frame in view.all_uniq().filter(|frame| frame.frame_index() >= mark) {
        let Ok(unpacked) = frame.unpacked();
        for stream in unpacked.thread_streams.values() {
            count(&stream.stream, 0, &mut entries);
        }
    }
    let mut counts = Counts::new();
    for (id, entries) in entries {
        let details = view.scope_collection().fetch_by_id(&id);
        let details = details.expect("the scope should have a name");
        entry_counts::add(&mut counts, details.name(), entries);
    }
    counts
}

fn count(stream: &Stream, offset: u64, entries: &mut HashMap<ScopeId, u64>) {
    let reader =
        Reader::with_offset(stream, offset).expect("the offset should be inside the stream");
    for scope in reader {
        let scope = scope.expect("the scope should be complete");
        *entries.entry(scope.id).or_default() += 1;
        count(stream, scope.child_begin_position, entries);
    }
}

macro_rules! enter {
    ($name:ident) => {
        ::puffin::profile_scope!(stringify!($name));
    };
}
work!(zone, counter);
