//! Validates snapshots. Their fields are public, so a host can break the invariants that exporters rely on.

use super::{Snapshot, SnapshotThread, SnapshotValue};
use std::{error, fmt};

/// The maximum sum. File formats use signed numbers.
const MAX_SUM: u64 = i64::MAX as u64;

impl Snapshot {
    /// Checks that indices, times and sums are valid.
    ///
    /// Every function that writes a snapshot calls this method first. Snapshots taken by the profiler are always valid.
    ///
    /// * `ns_per_tick` is finite and above 0.
    /// * Every thread has at least one node. The first one is the root, which is its own parent.
    /// * Every other node comes after its parent.
    /// * Every node's zone is a valid index into `zones`. Its standard error is finite and not negative.
    /// * Every value's sum refers to a valid node of the thread and to a valid index into `values`. A unit has at least
    ///   one step.
    /// * Every budget's zone is a valid index into `zones`.
    /// * The entries of all nodes sum to less than 2<sup>63</sup>, and so do their samples, ticks and nanoseconds.
    ///
    /// ```
    /// let mut snapshot = iprof::Snapshot::default();
    /// let mut thread = iprof::SnapshotThread::new("main");
    /// thread.child(0, 7);
    /// snapshot.threads.push(thread);
    /// let error = snapshot.validate().unwrap_err();
    /// assert_eq!(error.to_string(), "thread 0, node 1: zone is 7; expected less than 1, the number of zones");
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if any of these conditions is violated. The error names the first invalid value.
    pub fn validate(&self) -> Result<(), InvalidSnapshotError> {
        let ns_per_tick = self.ns_per_tick;
        if !(ns_per_tick > 0.0 && ns_per_tick.is_finite()) {
            return Err(InvalidSnapshotError::new(format!(
                "ns_per_tick is {ns_per_tick}; expected a finite number above 0"
            )));
        }
        if let Some(value) = self.values.iter().position(|value| value.steps == 0) {
            return Err(InvalidSnapshotError::new(format!(
                "value {value}: steps is 0; expected at least 1"
            )));
        }
        let zones = self.zones.len();
        let mut budgets = self.budgets.iter().zip(0..);
        if let Some(((zone, _), at)) = budgets.find(|((zone, _), _)| *zone as usize >= zones) {
            return Err(InvalidSnapshotError::new(format!(
                "budget {at}: zone is {zone}; expected less than {zones}, the number of zones"
            )));
        }
        let (mut entries, mut samples, mut ticks) = (0u64, 0u64, 0u64);
        for (at, thread) in self.threads.iter().enumerate() {
            thread.validate(at, self.zones.len())?;
            thread.validate_values(at, self.values.len())?;
            for node in &thread.nodes {
                entries = entries.saturating_add(node.entries);
                samples = samples.saturating_add(node.samples);
                ticks = ticks.saturating_add(node.ticks);
            }
        }
        for (sum, name) in [(entries, "entries"), (samples, "samples"), (ticks, "ticks")] {
            if sum > MAX_SUM {
                return Err(InvalidSnapshotError::new(format!(
                    "the {name} of all nodes sum to 2^63 or more; expected less"
                )));
            }
        }
        if self.ns(ticks) >= MAX_SUM as f64 {
            return Err(InvalidSnapshotError::new(
                "the times of all nodes sum to 2^63 nanoseconds or more; expected less".to_owned(),
            ));
        }
        Ok(())
    }
}

impl SnapshotThread {
    fn validate(&self, at: usize, zones: usize) -> Result<(), InvalidSnapshotError> {
        if self.nodes.is_empty() {
            return Err(InvalidSnapshotError::new(format!(
                "thread {at}: no nodes; the first one must be the root"
            )));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let (parent, zone, error) = (node.parent, node.zone, node.error);
            let broken = if index == SnapshotThread::ROOT && parent != 0 {
                format!("parent is {parent}; expected 0, because the root is its own parent")
            } else if index != SnapshotThread::ROOT && parent as usize >= index {
                format!("parent is {parent}; expected an earlier node")
            } else if zone as usize >= zones {
                format!("zone is {zone}; expected less than {zones}, the number of zones")
            } else if !(error >= 0.0 && error.is_finite()) {
                format!("standard error is {error}; expected a finite number, at least 0")
            } else {
                continue;
            };
            return Err(InvalidSnapshotError::new(format!(
                "thread {at}, node {index}: {broken}"
            )));
        }
        Ok(())
    }
}

impl SnapshotThread {
    fn validate_values(&self, at: usize, values: usize) -> Result<(), InvalidSnapshotError> {
        let nodes = self.nodes.len();
        let is_broken =
            |sum: &&SnapshotValue| sum.node as usize >= nodes || sum.value as usize >= values;
        match self.values.iter().find(is_broken) {
            None => Ok(()),
            Some(SnapshotValue { node, value, .. }) => Err(InvalidSnapshotError::new(format!(
                "thread {at}: a sum refers to node {node} and value {value}; expected less than {nodes} and {values}"
            ))),
        }
    }
}

/// The error returned by [`Snapshot::validate`]. The message describes the broken invariant and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSnapshotError {
    message: String,
}

impl InvalidSnapshotError {
    fn new(message: String) -> InvalidSnapshotError {
        InvalidSnapshotError { message }
    }
}

impl fmt::Display for InvalidSnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for InvalidSnapshotError {}
