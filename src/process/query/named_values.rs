//! Which named value a view shows, and what is known of the values.

use crate::process::frame::profiler::Profiler;
use crate::process::view::View;
use crate::report::ShownValue;
use crate::value_info::ValueInfo;

/// The zone of the value that `view` shows.
pub(crate) fn shown(profiler: &Profiler, view: &View) -> Option<u32> {
    let values = profiler.indices().values();
    match &view.value {
        ShownValue::First => {
            let is_own = |zone: &&u32| profiler.indices().at(**zone).is_own();
            let of_program = values.iter().find(|zone| !is_own(zone));
            of_program.or(values.first()).copied()
        }
        ShownValue::None => None,
        ShownValue::Named(name) => {
            let is_named = |zone: &&u32| profiler.indices().at(**zone).label() == **name;
            values.iter().find(is_named).copied()
        }
    }
}

/// The steps of a unit of the value of `zone`.
pub(crate) fn steps(profiler: &Profiler, zone: u32) -> f64 {
    let unit = profiler.indices().at(zone).unit();
    unit.map_or(1.0, |(_, steps)| f64::from(steps))
}

/// What is known of the value of `zone`.
pub(crate) fn info(profiler: &Profiler, zone: u32) -> ValueInfo {
    profiler.indices().value_info(zone)
}
