//! The named value that a view shows, and information about all values.

use crate::report::ShownValue;
use crate::view::View;
use iprof_process::Profiler;
use iprof_process::ValueInfo;

/// Returns information about all values, listing each name once. The program's values come first, in the order in which
/// the program first added to them, followed by the allocator's.
pub fn infos(profiler: &Profiler) -> Vec<ValueInfo> {
    let values = profiler.indices().values().iter();
    let is_own = |zone: &&u32| profiler.indices().is_own(**zone);
    let (own, of_program): (Vec<&u32>, Vec<&u32>) = values.partition(is_own);
    let mut infos: Vec<ValueInfo> = Vec::new();
    for zone in of_program.into_iter().chain(own) {
        let info = info(profiler, *zone);
        if !infos.iter().any(|known| known.name == info.name) {
            infos.push(info);
        }
    }
    infos
}

/// Returns the value to show after the current one: none after the last value, and the first value after none.
pub fn next(profiler: &Profiler, view: &View) -> ShownValue {
    let infos = infos(profiler);
    let at = match &view.value {
        ShownValue::First => Some(0),
        ShownValue::Named(name) => infos.iter().position(|info| info.name == *name),
        ShownValue::None => None,
    };
    match at.map(|at| infos.get(at + 1)) {
        Some(Some(info)) => ShownValue::Named(info.name.clone()),
        Some(None) if !infos.is_empty() => ShownValue::None,
        _ => ShownValue::First,
    }
}

pub fn shown(profiler: &Profiler, view: &View) -> Option<u32> {
    let values = profiler.indices().values();
    match &view.value {
        ShownValue::First => {
            let of_program = values
                .iter()
                .find(|zone| !profiler.indices().is_own(**zone));
            of_program.or(values.first()).copied()
        }
        ShownValue::None => None,
        ShownValue::Named(name) => {
            let is_named = |zone: &&u32| profiler.indices().at(**zone).label() == **name;
            values.iter().find(is_named).copied()
        }
    }
}

/// Returns the steps per unit of a value.
pub fn steps(profiler: &Profiler, zone: u32) -> f64 {
    let unit = profiler.indices().at(zone).unit();
    unit.map_or(1.0, |(_, steps)| f64::from(steps))
}

pub fn info(profiler: &Profiler, zone: u32) -> ValueInfo {
    profiler.indices().value_info(zone)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_gather::Zone;
    use iprof_gather::clock::Pair;

    #[test]
    fn next_value_cycles_through_names_and_none() {
        static VALUES: [Zone; 4] = [
            Zone::new("alloc", "", 1, "iprof").with_unit("", 1),
            Zone::new("rays", "", 2, "host").with_unit("ray", 1),
            Zone::new("bodies", "", 3, "host").with_unit("body", 1),
            Zone::new("rays", "", 4, "host").with_unit("ray", 1),
        ];
        let mut profiler = Profiler::new(Pair::both(0));
        let mut view = View::default();
        assert_eq!(
            next(&profiler, &view),
            ShownValue::First,
            "a report without values should show none"
        );
        VALUES.iter().for_each(|value| {
            profiler.indices_mut().zone(value);
        });
        let mut shown_names = Vec::new();
        for _ in 0..5 {
            let zone = shown(&profiler, &view);
            shown_names.push(zone.map(|zone| profiler.indices().at(zone).label()));
            let value = next(&profiler, &view);
            view.value = value;
        }
        let names = [
            Some("rays"),
            Some("bodies"),
            Some("alloc"),
            None,
            Some("rays"),
        ];
        assert_eq!(shown_names, names.map(|name| name.map(str::to_owned)));
        view.value = ShownValue::Named("gone".into());
        assert_eq!(next(&profiler, &view), ShownValue::First);
    }
}
