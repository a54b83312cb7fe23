//! Tests of features: which modules are compiled only with a feature.

use super::sources;

/// Modules that only a build with the features has: a library with zones, without `enable`, is not to compile what
/// records, nor a program that records without `report` what reports need.
const LEFT_OUT: &[(&str, &[&str], &[&str])] = &[
    ("src/lib.rs", &["enable"], &["clock", "gather", "sample"]),
    (
        "src/lib.rs",
        &["report"],
        &[
            "action",
            "average",
            "bindings",
            "controls",
            "frame_selection",
            "frame_set",
            "graph",
            "report",
            "threads",
        ],
    ),
    (
        "src/process/mod.rs",
        &["enable"],
        &[
            "delta",
            "end_frame",
            "frame",
            "moving_average",
            "program",
            "untimed",
        ],
    ),
    (
        "src/process/mod.rs",
        &["enable", "report"],
        &["default_view", "query", "shown", "thread_list"],
    ),
    (
        "src/process/mod.rs",
        &["report"],
        &["frame_snapshots", "view", "view_queries"],
    ),
    (
        "src/process/frame/mod.rs",
        &["report"],
        &[
            "gpu",
            "heat",
            "history",
            "moments",
            "report_data",
            "report_indices",
            "thread_groups",
            "warnings",
            "zone_groups",
            "zone_stack",
        ],
    ),
    (
        "src/export/mod.rs",
        &["files"],
        &["callgrind", "cycles", "file", "format", "gprof", "replace"],
    ),
];

#[test]
fn what_a_feature_is_for_is_not_compiled_without_it() {
    let sources = sources();
    for (file, features, modules) in LEFT_OUT {
        let lines: Vec<&str> = sources[*file].lines().collect();
        for module in *modules {
            let is_it =
                |line: &&str| line.trim_start_matches("pub(crate) ") == format!("mod {module};");
            let at = lines.iter().position(is_it).unwrap();
            let condition = lines[at - 1];
            let needs = |feature: &&str| condition.contains(&format!("feature = \"{feature}\""));
            let is_left_out = condition.starts_with("#[cfg(")
                && !condition.contains("not(")
                && features.iter().all(needs);
            assert!(is_left_out, "{module} of {file}: {condition}");
        }
    }
}
