//! A simulated thread for tests, with its own record. The test controls its entries, exits and clock values.

use super::node::Node;
use super::record::{ThreadRecord, add, count};
use crate::Zone;
use crate::clock::Ticks;

/// A simulated thread. One test thread can drive several of these in turn.
pub struct ScriptedThread {
    record: &'static ThreadRecord,
}

// These functions are not inlined, so that the leak checker recognizes records that are leaked on purpose
// (`tests/soak/lsan.txt`).
impl ScriptedThread {
    #[inline(never)]
    pub fn begin(name: &str, now: Ticks) -> ScriptedThread {
        let record = ThreadRecord::new(name.to_owned()).expect("failed to allocate a test record");
        record.begin(now);
        ScriptedThread { record }
    }

    /// Returns the thread that owns `record`, for a handler that interrupts it.
    pub fn of(record: &'static ThreadRecord) -> ScriptedThread {
        ScriptedThread { record }
    }

    /// Creates a record for a tree of GPU zones, which no thread ever owns.
    #[inline(never)]
    pub fn of_gpu() -> &'static ThreadRecord {
        ThreadRecord::of_gpu().expect("failed to allocate a test record")
    }

    pub fn record(&self) -> &'static ThreadRecord {
        self.record
    }

    fn current(&self) -> &'static Node {
        self.record
            .current()
            .expect("the scripted thread should own its record")
    }

    pub fn enter(&self, zone: &'static Zone, now: Ticks) {
        let parent = self.current();
        let node = self
            .record
            .node_for(parent, zone)
            .expect("a test should have room for its nodes");
        if node.is_timed() {
            self.record.enter(node, now);
        } else {
            self.record.enter_untimed(node);
        }
    }

    pub fn leave(&self, now: Ticks) {
        let node = self.current();
        let parent = node.parent.expect("a zone should be open");
        if node.is_timed() {
            self.record.leave(node, parent, now);
        } else {
            self.record.leave_untimed(parent);
        }
    }

    /// Applies a cutoff and the pending reclassifications, as a zone does after a mode change.
    pub fn apply_mode(&self, cutoff: u8, now: Ticks) {
        assert!(self.record.try_apply_mode(cutoff, || now));
    }

    /// Like [`apply_mode`](Self::apply_mode), but without the lock of the pending reclassifications.
    pub fn change_clocks(&self, cutoff: u8, now: Ticks) {
        self.record.change_clocks(cutoff, &[], || now);
    }

    /// Closes the innermost entry of `zone` and all zones on top of it.
    pub fn close(&self, zone: &'static Zone, now: Ticks) {
        let mut node = self.current();
        while !node.is_of(zone) {
            node = node.parent.expect("the zone should be open");
        }
        self.record.close(node, || now);
    }

    /// Counts an entry of a zone. Unlike a real counter, the zone may also be entered.
    pub fn count(&self, zone: &'static Zone) {
        let node = self.record.node_for(self.current(), zone);
        count(node.expect("a test should have room for its nodes"));
    }

    pub fn count_as_counter(&self, zone: &'static Zone) {
        let node = self.record.node_for(self.current(), zone);
        self.record
            .make_counter(node.expect("a test should have room for its nodes"));
        self.count(zone);
    }

    /// Adds to a named value, modulo 2^64.
    pub fn add(&self, value: &'static Zone, steps: u64) {
        let node = self.record.node_for(self.current(), value);
        let node = node.expect("a test should have room for its nodes");
        self.record.make_counter(node);
        add(node, steps);
    }

    pub fn end(&self, now: Ticks) {
        self.record.end(now);
    }

    /// Makes another thread take over the record.
    pub fn begin_again(&self, now: Ticks) {
        self.record.begin(now);
    }
}
