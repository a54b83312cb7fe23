//! Tests the crate without the `enable` feature. All public items that programs use must still exist and check their
//! arguments, but do nothing.

#![cfg(all(feature = "program", not(feature = "enable")))]

iprof::define_zone!(
    /// The work of both `sight` and `hearing`.
    pub RAYCAST,
    "ray cast"
);

/// All of the macros used here work in a const function, which shows that they leave no code to run.
const fn work(x: u32) -> u32 {
    iprof::zone!(work);
    iprof::zone!("work, again");
    iprof::zone!();
    iprof::zone!(wait, idle);
    iprof::zone!(tight, budget = std::time::Duration::from_millis(4));
    iprof::zone!("tight, too", budget = std::time::Duration::from_millis(4),);
    iprof::zone!("wait, again", idle,);
    iprof::begin!(wait, idle);
    iprof::end!(wait);
    iprof::zone!(fn, budget = LIMIT);
    iprof::begin!(wait, budget = LIMIT);
    iprof::begin!("wait", budget = LIMIT,);
    iprof::zone!(&RAYCAST);
    iprof::zone!(&self::RAYCAST,);
    iprof::zone!(fn);
    iprof::zone!(fn, idle);
    iprof::begin!(part);
    iprof::begin!("part");
    iprof::begin!(&RAYCAST);
    iprof::counter!(calls);
    iprof::counter!("calls");
    iprof::counter!(&RAYCAST);
    iprof::value!(BODIES, not_evaluated());
    iprof::value!(ENERGY, 0.5);
    iprof::end!(&RAYCAST);
    iprof::end!("part");
    iprof::end!(part);
    iprof::end!();
    let mut phase = iprof::open_zone!(first);
    iprof::relabel!(phase, second);
    iprof::relabel!(phase, "third");
    iprof::relabel!(phase, &RAYCAST);
    iprof::relabel!(phase, fourth, budget = LIMIT);
    iprof::relabel!(phase, "fifth", budget = LIMIT);
    iprof::relabel!(phase);
    let _phases = [iprof::open_zone!("first"), iprof::open_zone!(&RAYCAST)];
    let _function = [iprof::open_zone!(), iprof::open_zone!(fn, idle)];
    let _more = [
        iprof::open_zone!(sixth, budget = LIMIT),
        iprof::open_zone!("seventh", budget = LIMIT),
    ];
    x + 1
}

iprof::define_value!(BODIES, "bodies");
iprof::define_value!(
    /// A value in thousandths of a joule.
    pub ENERGY,
    "energy",
    "J",
    1_000
);

const LIMIT: std::time::Duration = std::time::Duration::from_millis(4);

fn not_evaluated() -> u64 {
    unreachable!()
}

const _: u32 = work(1);

/// Without the `enable` feature, GPU zones only type-check their context.
#[cfg(feature = "gl")]
const fn draw(gl: &glow::Context, shared: &std::sync::Arc<glow::Context>) {
    iprof::gpu_zone!(gl, draw);
    iprof::gpu_zone!(shared, "draw, again");
    iprof::gpu_zone!(shared, &RAYCAST);
    iprof::gpu_zone!(shared);
    iprof::gpu_zone!(shared, waiting, idle);
    iprof::gpu_zone!(not_called(), "never evaluated");
}

#[cfg(feature = "gl")]
fn not_called() -> Box<glow::Context> {
    unreachable!()
}

/// Without the crate's OpenGL support, a context can have any type.
#[cfg(not(feature = "gl"))]
const fn draw(gl: &str) {
    iprof::gpu_zone!(gl, draw);
    iprof::gpu_zone!(gl, "draw, again");
    iprof::gpu_zone!(gl, &RAYCAST);
}

#[test]
fn macros_produce_no_code() {
    assert_eq!(work(1), 2);
    let _ = draw;
}

#[cfg(feature = "macros")]
#[iprof::instrument]
async fn with_attribute(work: [u64; 8]) -> u64 {
    std::future::pending::<()>().await;
    work[0]
}

#[cfg(feature = "macros")]
async fn without_attribute(work: [u64; 8]) -> u64 {
    std::future::pending::<()>().await;
    work[0]
}

#[cfg(feature = "macros")]
#[test]
fn future_zones_take_no_memory() {
    use iprof::InZone;
    let plain = size_of_val(&without_attribute([0; 8]));
    assert_eq!(size_of_val(&with_attribute([0; 8])), plain);
    assert_eq!(
        size_of_val(&without_attribute([0; 8]).in_zone(&RAYCAST)),
        plain
    );
}

#[test]
fn formats_without_features_write_empty_profiles() {
    let mut snapshot = iprof::Snapshot::default();
    snapshot.intern_zone(iprof::SnapshotZone::new("parse", "parse.rs", 1));
    let written = |format: iprof::Format| {
        let mut out = Vec::new();
        format.write(&snapshot, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let why = "iprof was built without the feature `enable`: nothing is recorded\n";
    assert_eq!(written(iprof::Format::Tree), why);
    assert_eq!(written(iprof::Format::TreeInCycles), why);
    assert_eq!(written(iprof::Format::Folded), "");
    #[cfg(feature = "export")]
    {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("disabled.txt");
        iprof::write_file(&path, &snapshot).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), why);
    }
}

#[cfg(not(feature = "export"))]
#[test]
fn format_of_disabled_feature_is_an_error() {
    let html: iprof::Format = "html".parse().unwrap();
    assert_eq!(iprof::Format::from_path("page.html"), Some(html));
    let mut out = Vec::new();
    let error = html.write(&iprof::snapshot(), &mut out).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
    assert!(error.to_string().contains("feature `export`"), "{error}");
    let report = iprof::View::default().report(&iprof::profiler());
    let error = iprof::Format::Csv.write_report(&report, &mut out);
    assert!(error.unwrap_err().to_string().contains("feature `export`"));
    assert_eq!(out, b"");
}

#[test]
fn functions_do_nothing() {
    iprof::set_thread_name("nobody");
    iprof::update(true);
    iprof::update(true);
    iprof::update(false);
    iprof::mark("nothing");
    iprof::reset();
    iprof::set_timing(iprof::Timing::Exact);
    assert_eq!(iprof::timing(), iprof::Timing::Off);
    iprof::set_recording(false);
    assert!(!iprof::is_recording());
    drop(iprof::recording_scope(true));
    let snapshot = iprof::snapshot();
    assert_eq!((snapshot.frames, snapshot.ticks), (0, 0));
    assert!(snapshot.threads.is_empty() && snapshot.values.is_empty());
    iprof::register_thread();
    let session = iprof::SamplingSession::start(100.0).unwrap();
    assert!(iprof::SamplingSession::start(100.0).is_err());
    let profile = session.finish();
    assert_eq!(profile, iprof::SampledProfile::default());
    drop(iprof::SamplingSession::start(100.0).unwrap());
}

#[test]
fn views_are_empty_and_report_says_why() {
    iprof::set_report_mode(iprof::ReportMode::CallGraph);
    iprof::set_recursion(iprof::Recursion::Spread);
    iprof::set_average(iprof::Average::Slow);
    iprof::set_cursor(3);
    iprof::move_cursor(-1);
    iprof::set_frame(1);
    iprof::move_frame(-1);
    iprof::select();
    iprof::select_parent();
    iprof::configure(|config| config.history = 10);
    iprof::configure(|config| config.refresh_rate = Some(5.0));
    iprof::with_view(|view| view.filter = "lost".to_owned());
    assert!(iprof::threads().is_empty());
    assert_eq!(iprof::history_bytes(), 0);
    assert!(
        iprof::View::default()
            .graph(&iprof::profiler())
            .bars
            .is_empty()
    );
    let report = iprof::report();
    assert!(report.rows.is_empty());
    let mut text = Vec::new();
    iprof::write_report(&mut text).unwrap();
    assert!(
        String::from_utf8(text)
            .unwrap()
            .contains("without the feature `enable`")
    );
}
