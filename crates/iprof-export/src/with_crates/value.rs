//! A named value in JSON.

use iprof_process::Snapshot;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Value<'a> {
    name: &'a str,
    unit: &'a str,
    steps: u32,
}

impl<'a> Value<'a> {
    /// Those of a snapshot, by number.
    pub(super) fn all(whole: &'a Snapshot) -> Vec<Value<'a>> {
        let values = whole.values.iter().map(|value| Value {
            name: &value.name,
            unit: &value.unit,
            steps: value.steps,
        });
        values.collect()
    }
}
