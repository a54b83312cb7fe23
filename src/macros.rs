//! The instrumentation macros, such as `zone!`, `begin!` and `counter!`.
//!
//! The macros find out with `__if_enabled!` whether recording is compiled in. A `cfg` in a macro's output would depend
//! on the features of the crate that uses the macro.

/// The hook that zones run before a thread's first zone is entered. It applies the environment variables.
///
/// It is called in the cold path, possibly more than once, while iprof holds no lock that the thread did not already
/// hold.
///
/// `iprof-gather` enters zones but knows nothing of the environment, so every zone stores this hook. That is why
/// everything that makes zones is in this crate. A hook to be installed would not work, since a program may contain
/// nothing of iprof but zones.
pub fn entered() {
    // Loom and Miri have no environment.
    #[cfg(all(feature = "environment", not(any(loom, miri))))]
    iprof_control::environment::apply(&crate::program::RUNNING_PROGRAM);
}

/// Misuse that must not compile, with or without the feature `enable`:
///
/// ```compile_fail
/// static NOT_A_ZONE: u32 = 1;
/// fn f() {
///     iprof::zone!(&NOT_A_ZONE);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::zone!(a::path);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::zone!(42);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::begin!(&not_there);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::counter!();
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::counter!(calls, idle);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::gpu_zone!(not_there, pass);
/// }
/// ```
/// ```compile_fail
/// fn f(gl: &str) {
///     iprof::gpu_zone!(gl, &not_there);
/// }
/// ```
/// ```compile_fail
/// fn f(gl: &str) {
///     iprof::gpu_zone!(gl, 42);
/// }
/// ```
/// The word after a zone's name is `idle`, and nothing else:
/// ```compile_fail
/// fn f() {
///     iprof::zone!(wait, idel);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::zone!(wait, "idle");
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::zone!(fn, wait);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::end!(wait, idle);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     let _wait = iprof::open_zone!(wait, waiting);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::begin!(wait, label);
/// }
/// ```
/// ```compile_fail
/// iprof::define_zone!(WAIT, "wait", waiting);
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::zone!(fn, budget = 4);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     let _wait = iprof::open_zone!(wait, idle = std::time::Duration::from_millis(1));
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::begin!(wait, budget);
/// }
/// ```
/// `idle` belongs to the definition of a public zone, not to its use:
/// ```compile_fail
/// iprof::define_zone!(WAIT, "wait");
/// fn f() {
///     iprof::zone!(&WAIT, idle);
/// }
/// ```
/// A guard belongs to its thread:
/// ```compile_fail
/// fn is_send<T: Send>() {}
/// is_send::<iprof::__private::Guard>();
/// ```
const _: () = ();

/// Measures from here to the end of the enclosing scope.
///
/// | form | zone |
/// |---|---|
/// | `zone!(physics)`, `zone!("one body")` | a private zone with that name |
/// | `zone!()`, `zone!(fn)` | a private zone with the name of the enclosing function |
/// | `zone!(&RAYCAST)` | the public zone at that path, made with [`define_zone!`](crate::define_zone!) |
///
/// A private zone belongs to this one place: another `zone!` with the same name is a different zone. The zone closes
/// when the scope is left, including by `return`, `?` or a panic.
///
/// The zone of a method is named with its type, as in `World::step`. In a closure, the zone has the name of the
/// function around it. Generic arguments are left out, and all instances of a generic function share one zone.
///
/// An exact zone costs two reads of the timestamp counter and a few stores. A sampled zone costs only the stores, and
/// without the feature `enable` a zone costs nothing. Threads need no setup. A zone belongs to a thread, so an `async`
/// block that holds one across an `.await` is not `Send`.
///
/// # Idle zones
///
/// Mark a zone in which the program only waits, be it for work, for the next frame or for a lock, with the word `idle`
/// after its name. `zone!(fn, idle)` is named after the function, while `zone!(idle)` is an ordinary zone named idle.
///
/// Reports do not rank waiting along with work. All idle zones share one dimmed row, `(idle)`, which can be expanded.
/// A zone called from an idle zone is not idle itself. On every thread except the one that ends frames, time outside
/// zones counts as idle too: see [`View::idle_ranked`](crate::View::idle_ranked).
///
/// # Zone budgets
///
/// Instead of `idle`, you can write `budget = ` and a constant `Duration` from 1 µs to an hour. It gives the zone a
/// budget, as [`set_zone_budget`](crate::set_zone_budget) does by name.
///
/// All macros that make a zone accept `idle` and `budget`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// fn simulate() {
///     iprof::zone!(simulate, budget = Duration::from_millis(4));
///     // …
/// }
/// # simulate();
/// ```
///
/// ```
/// fn worker(jobs: std::sync::mpsc::Receiver<u32>) -> u32 {
///     let next = || {
///         iprof::zone!(wait_for_work, idle);
///         jobs.recv()
///     };
///     let mut sum = 0;
///     while let Ok(job) = next() {
///         iprof::zone!(job);
///         sum += job;
///     }
///     sum
/// }
/// # let jobs = std::sync::mpsc::channel().1; // Its sender is gone.
/// # worker(jobs);
/// ```
///
/// ```
/// fn physics(bodies: &mut [f32]) {
///     iprof::zone!(physics);
///     for body in bodies {
///         iprof::zone!("one body");
///         *body *= 0.99;
///     }
/// }
/// # physics(&mut [1.0, 2.0]);
/// ```
///
/// To open a zone conditionally, keep the guard of [`open_zone!`](crate::open_zone!) in an option:
///
/// ```
/// fn render(is_shadow_pass: bool) {
///     let _zone = (!is_shadow_pass).then(|| iprof::open_zone!(render));
///     // …
/// }
/// # render(true);
/// ```
///
/// To exclude everything that is called from here, see [`recording_scope`](crate::recording_scope).
#[macro_export]
macro_rules! zone {
    ($($zone:tt)*) => {
        let _iprof_zone = $crate::__site!(enter, $crate::__zone!($($zone)*));
    };
}

/// Opens a zone like [`zone!`](crate::zone!), but returns its guard, an [`OpenZone`](crate::OpenZone).
///
/// The zone stays open until the guard is dropped, or until [`relabel!`](crate::relabel!) turns it into another zone.
/// Takes the arguments of [`zone!`](crate::zone!).
#[macro_export]
macro_rules! open_zone {
    ($($zone:tt)*) => {
        $crate::__site!(open, $crate::__zone!($($zone)*))
    };
}

/// Closes the zone of an [`OpenZone`](crate::OpenZone) and opens another in its place, under the same caller.
///
/// Time spent so far stays with the old zone, and the count of the new one goes up by one. Zones that are still open
/// above it are closed, as by [`end!`](crate::end!). A zone that was not recorded, because timing or its thread's
/// recording was off when it was opened, remains unrecorded.
///
/// Takes the open zone and the arguments of [`zone!`](crate::zone!). Costs as much as closing one zone and opening
/// another.
///
/// ```
/// let mut phase = iprof::open_zone!(read);
/// let words = "a few words".split(' ');
/// iprof::relabel!(phase, sort);
/// let mut words: Vec<&str> = words.collect();
/// words.sort();
/// drop(phase);
/// ```
#[macro_export]
macro_rules! relabel {
    ($open:expr $(, $($zone:tt)*)?) => {
        $crate::__site!(relabel, $crate::__zone!($($($zone)*)?), &mut $open)
    };
}

/// Defines a public zone: a static that can be entered in many places and files with [`zone!(&NAME)`](crate::zone!).
///
/// Takes a visibility, a name for the static and the label that reports show. The word `idle`, for a zone in which the
/// program [only waits](crate::zone!), or a [budget](crate::zone!) may follow. Can be used wherever a static can be
/// defined.
///
/// ```
/// iprof::define_zone!(pub RAYCAST, "ray cast");
/// iprof::define_zone!(WAIT, "wait for work", idle);
/// iprof::define_zone!(AI, "ai", budget = std::time::Duration::from_millis(2));
/// # assert!(WAIT.is_idle() && !RAYCAST.is_idle());
///
/// fn sees() {
///     iprof::zone!(&RAYCAST);
/// }
/// fn hears() {
///     iprof::zone!(&RAYCAST);
/// }
/// # sees(); hears();
/// ```
#[macro_export]
macro_rules! define_zone {
    ($(#[$attribute:meta])* $visibility:vis $NAME:ident, $label:literal $($words:tt)*) => {
        $(#[$attribute])*
        $visibility static $NAME: $crate::Zone = $crate::__new_zone!($label $($words)*);
    };
}

/// Opens a zone that is closed by [`end!`](crate::end!) rather than at the end of a scope.
///
/// Takes the arguments of [`zone!`](crate::zone!). If the zone below it on the stack closes first, it is closed too,
/// and a warning line of the report names it.
///
/// ```
/// iprof::begin!(loading);
/// let level = std::env::args().count();
/// iprof::end!(loading);
/// # let _ = level;
/// ```
#[macro_export]
macro_rules! begin {
    ($($zone:tt)*) => {
        $crate::__site!(begin, $crate::__zone!($($zone)*))
    };
}

/// Closes an open zone, usually one that [`begin!`](crate::begin!) opened.
///
/// | form | zone that is closed |
/// |---|---|
/// | `end!(loading)`, `end!("loading")` | the innermost open zone of that name |
/// | `end!(fn)` | the innermost open zone with the name of the enclosing function |
/// | `end!(&NAME)` | the innermost opening of that public zone |
/// | `end!()` | the innermost open zone |
///
/// It may be in another function than its `begin!`, but must run on the same thread. If zones are still open above the
/// one that is closed, they are closed with it. If no zone matches, nothing happens. Both cases are counted, and a
/// warning line of the report names the zone.
///
/// A zone that a scope opened can be closed early. The end of its scope then counts as an end without a begin.
///
/// If a `begin!` was not recorded, for example because timing was off, the next `end!` in the same enclosing zone is
/// ignored, so that it closes no other zone. Leaving the enclosing zone clears this state.
///
/// ```
/// fn on_event(name: &str) {
///     match name {
///         "down" => iprof::begin!(dragging),
///         "up" => iprof::end!(dragging),
///         _ => {}
///     }
/// }
/// # on_event("down"); on_event("up");
/// ```
#[macro_export]
macro_rules! end {
    () => {
        $crate::__site!(
            end,
            $crate::__zone!("end!()"),
            $crate::__private::EndMatching::Innermost
        )
    };
    (&$zone:path $(,)?) => {
        $crate::__site!(
            end,
            $crate::__zone!(&$zone),
            $crate::__private::EndMatching::Zone
        )
    };
    ($name:tt $(,)?) => {
        $crate::__site!(
            end,
            $crate::__zone!($name),
            $crate::__private::EndMatching::Name
        )
    };
}

/// Measures CPU time like [`zone!`](crate::zone!), and the GPU time of the GL commands issued until the end of the
/// scope.
///
/// The first argument is anything that dereferences to a `glow` 0.18 context. The context must be current on this
/// thread at both ends of the scope. It is borrowed in between, so pass a clone of an `Rc` or `Arc` if the host needs
/// its own. The other arguments are the same as for [`zone!`](crate::zone!).
///
#[cfg_attr(feature = "gl", doc = "```no_run")]
#[cfg_attr(not(feature = "gl"), doc = "```ignore")]
/// # fn context() -> std::rc::Rc<glow::Context> { unimplemented!() }
/// fn shadow_pass(gl: &glow::Context) {
///     iprof::gpu_zone!(gl, "shadow pass");
///     // … draw; nested zones are measured, too
/// }
///
/// let gl = context();
/// // SAFETY: the context is current on this thread, and stays so.
/// unsafe { iprof::gl::init(gl.clone()) }?;
/// shadow_pass(&gl);
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
///
/// Register the context first, with `iprof::gl::init`, `gl::Painter::new` or `iprof::gl::enable_gpu_zones` and the same
/// `glow` context. In any other context only CPU time is measured, and a warning in the report says so.
///
/// # Which frame gets the time
///
/// GPU time belongs to the frame in which the zone ended, because that frame submitted the work. The time arrives some
/// frames later and is then shown with that frame, in two places: in the column
/// [`ColumnId::GpuTime`](crate::ColumnId::GpuTime) of the zone that submitted the work, and in the report of a thread
/// named `GPU`.
///
/// The call tree of `GPU` consists of GPU zones nested in GPU zones, from all contexts. Its idle zone `(outside zones)`
/// is the rest of the frame. If the work took longer than the frame, there is no rest, and the GPU's frame is as long
/// as the work, also in the title, so self times always add up to it. [`Threads::All`](crate::Threads::All) does not
/// include `GPU`, since it uses no processor time.
///
/// Averages take in each frame once, in order, when all its times are known. Times still missing after 256 frames are
/// dropped. The GPU times of discarded frames are discarded, too. Those of the last frames before a pause still arrive.
///
/// # When results are read
///
/// Results are read when the first GPU zone of a frame begins, on its thread. The overlay's own zone, `iprof_draw`, is
/// a GPU zone, too. Only results that are ready are read, and only of frames that ended at least one whole frame ago.
/// So nothing blocks, and no commands are flushed early. A program that draws nothing for a while can fetch the rest
/// with `iprof::gl::collect_gpu_times`.
///
/// # Where GPU times are unavailable
///
/// GPU times need `GL_TIMESTAMP` queries: OpenGL 3.3, `ARB_timer_query`, or in OpenGL ES `EXT_disjoint_timer_query`.
/// The zone measures only CPU time if there are none, or if the driver's clock has no bits, so that all its times are
/// zero. In Chromium, `EXT_disjoint_timer_query_webgl2` has such a clock. Without the feature `gl`, the zone also
/// measures only CPU time, and the first argument may be any expression. Without the feature `enable` it does nothing.
///
/// With contexts of another version of `glow`, or without `glow`, use `iprof::gl::enter_gpu_zone`.
///
/// Each context and thread can have up to 512 zones in flight. Further zones, and zones with impossible times, are not
/// measured, but counted in a warning line of the report.
///
/// # Effects on the host
///
/// Each zone issues one query before the commands and one after. No GL state changes, no GL error is raised, and
/// queries that the host has active continue. On OpenGL ES the flag `GPU_DISJOINT_EXT` is read, which clears it, so a
/// host that reads it as well may miss that its own times are invalid. Queries are deleted with their context. If a
/// `glow` context is dropped before its GL context, its queries remain there, unused, so create one `glow` context per
/// GL context rather than one per frame.
///
/// A GPU zone costs as much as a zone, six GL calls and two short locks.
#[macro_export]
macro_rules! gpu_zone {
    ($gl:expr $(, $($zone:tt)*)?) => {
        $crate::__gpu_zone!($gl, $crate::__zone!($($($zone)*)?));
    };
}

/// Counts how often execution passes this place, under the open zone, without reading the clock.
///
/// Reports show it as a zone without time. Takes the name or the path of a zone, as [`zone!`](crate::zone!) does.
///
/// ```
/// fn allocate() {
///     iprof::counter!(allocations);
/// }
/// # allocate();
/// ```
#[macro_export]
macro_rules! counter {
    (&$zone:path $(,)?) => {
        $crate::__site!(count_entry, $crate::__zone!(&$zone))
    };
    ($name:tt $(,)?) => {
        $crate::__site!(count_entry, $crate::__zone!($name))
    };
}

/// Defines a named value: a number that the program adds up by call stack with [`value!`](crate::value!).
///
/// Takes a visibility, a name for the static, the label that reports show and, optionally, the name of one unit. Values
/// that floats are added to also need the number of steps in a unit. A float is rounded to the nearest step when it is
/// added, and steps are added as 64-bit integers. Sums are therefore exact, whatever the order in which threads add. A
/// sum, even one of the whole session, is correct within ±2<sup>63</sup> steps and wraps around beyond.
///
/// ```
/// iprof::define_value!(pub BODIES, "bodies", "body");
/// iprof::define_value!(ENERGY, "energy", "J", 1_000); // in thousandths
/// # iprof::value!(ENERGY, 0.25);
/// # iprof::value!(BODIES, 2);
/// ```
///
/// Adding a float to a value without steps is a compile-time error.
#[macro_export]
macro_rules! define_value {
    ($(#[$attribute:meta])* $visibility:vis $NAME:ident, $label:literal $(,)?) => {
        $crate::define_value!($(#[$attribute])* $visibility $NAME, $label, "", 1);
    };
    ($(#[$attribute:meta])* $visibility:vis $NAME:ident, $label:literal, $unit:literal $(,)?) => {
        $crate::define_value!($(#[$attribute])* $visibility $NAME, $label, $unit, 1);
    };
    ($(#[$attribute:meta])* $visibility:vis $NAME:ident, $label:literal, $unit:literal, $steps:literal $(,)?) => {
        $(#[$attribute])*
        $visibility static $NAME: $crate::NamedValue<$steps> = $crate::NamedValue::new(
            $crate::Zone::new($label, ::core::file!(), ::core::line!(), ::core::module_path!())
                .on_first_zone($crate::__private::entered),
            $unit,
        );
    };
}

/// Adds a number to a value made with [`define_value!`](crate::define_value!), at the open zone.
///
/// The number is an integer or a float, and may be negative. NaN adds nothing. Infinities, and floats beyond
/// ±2<sup>63</sup> steps, add that many steps, and a `u64` of 2<sup>63</sup> or more counts as negative. Without an
/// open zone the number belongs to `(outside zones)`. Reports show the sum of each zone and its time per unit, such as
/// nanoseconds per body: see [`View::value`](crate::View::value).
///
/// ```
/// iprof::define_value!(BODIES, "bodies", "body");
///
/// fn solve(bodies: &[f32]) {
///     iprof::zone!(solve);
///     iprof::value!(BODIES, bodies.len());
/// }
/// # solve(&[1.0]);
/// ```
///
/// Exports contain the sums, too: as a sample type in pprof, as a column in CSV, in JSON, and as data in a
/// [`snapshot`](crate::snapshot).
///
/// Costs as much as [`counter!`](crate::counter!). Without the feature `enable` it costs nothing, and the number is not
/// evaluated. A value uses as much memory as a zone for each call stack in which it is added to.
#[macro_export]
macro_rules! value {
    ($value:path, $amount:expr $(,)?) => {{
        $crate::__recorded!({
            let iprof_steps = $value.steps($amount);
            $crate::__site!(add_to_value, $value.zone(), iprof_steps)
        })
    }};
}

// ---- internal macros --------------------------------------------------------------------------

/// Makes a zone from a name (an identifier or a string literal) and the words after it.
#[doc(hidden)]
#[macro_export]
macro_rules! __new_zone {
    ($name:ident $($words:tt)*) => {
        $crate::__new_zone!(@label ::core::stringify!($name), $($words)*)
    };
    ($name:literal $($words:tt)*) => {
        $crate::__new_zone!(@label $name, $($words)*)
    };
    (@label $label:expr, $($words:tt)*) => {
        $crate::__zone_with!(
            $crate::Zone::new(
                $label,
                ::core::file!(),
                ::core::line!(),
                ::core::module_path!(),
            )
            .on_first_zone($crate::__private::entered)
            $($words)*
        )
    };
}

/// Applies the words after a zone's name: `idle`, or `budget = ` and a duration.
#[doc(hidden)]
#[macro_export]
macro_rules! __zone_with {
    ($zone:expr $(,)?) => {
        $zone
    };
    ($zone:expr, idle $(,)?) => {
        $zone.idle()
    };
    ($zone:expr, budget = $budget:expr $(,)?) => {
        $zone.budget($budget)
    };
}

/// The zone given by a macro's arguments, as `&'static Zone`. Without `enable` it only checks the arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __zone {
    ($($zone:tt)*) => {
        $crate::__if_enabled!({ $crate::__recorded_zone!($($zone)*) } { $crate::__checked_zone!($($zone)*) })
    };
}

/// The zone given by a macro's arguments, as `&'static Zone`.
#[doc(hidden)]
#[macro_export]
macro_rules! __recorded_zone {
    () => {
        $crate::__recorded_zone!(fn)
    };
    (&$zone:path $(,)?) => {{
        let zone: &'static $crate::Zone = &$zone;
        zone
    }};
    (fn $($words:tt)*) => {{
        // Outside of the static, because its name would otherwise be a part of the function's path.
        fn here() -> &'static str {
            ::core::any::type_name_of_val(&here)
        }
        static ZONE: $crate::Zone = $crate::__zone_with!(
            $crate::Zone::of_function(
                here,
                ::core::file!(),
                ::core::line!(),
                ::core::module_path!(),
            )
            .on_first_zone($crate::__private::entered)
            $($words)*
        );
        &ZONE
    }};
    ($($name:tt)+) => {{
        static ZONE: $crate::Zone = $crate::__new_zone!($($name)+);
        &ZONE
    }};
}

/// Checks the arguments of a macro, and expands to nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __checked_zone {
    () => {{}};
    (&$zone:path $(,)?) => {{
        let _ = || -> &'static $crate::Zone { &$zone };
    }};
    (fn $($words:tt)*) => {
        $crate::__checked_zone!("fn" $($words)*)
    };
    ($($name:tt)+) => {{
        const _: () = {
            let _ = $crate::__new_zone!($($name)+);
        };
    }};
}

/// Declares a GPU zone's guard, which borrows the context or keeps a temporary one alive. Without recording it is a
/// plain zone, and the context is type-checked but not evaluated.
#[cfg(feature = "gl")]
#[doc(hidden)]
#[macro_export]
macro_rules! __gpu_zone {
    ($gl:expr, $zone:expr) => {
        $crate::__if_enabled! {
            {
                let iprof_gl: &$crate::__private::glow::Context = &$gl;
                let _iprof_zone = $crate::__site!(@call $crate::__private::gpu_enter, $zone, iprof_gl);
            }
            {
                let _ = || {
                    let _: &$crate::__private::glow::Context = &$gl;
                };
                let _iprof_zone = $crate::__site!(enter, $zone);
            }
        }
    };
}

/// Declares a plain zone. Without the feature `gl` the context may be any expression, and is not evaluated.
#[cfg(not(feature = "gl"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __gpu_zone {
    ($gl:expr, $zone:expr) => {
        let _ = || {
            let _ = &$gl;
        };
        let _iprof_zone = $crate::__site!(enter, $zone);
    };
}

/// The body that the attribute `instrument` makes for an `async fn` (`[fn]`) or an `async` block (`[]` or `[move]`),
/// with each poll in the zone. The first braces contain the return type, the second ones the body. Without `enable` the
/// future is just the body, which needs no more memory.
#[doc(hidden)]
#[macro_export]
macro_rules! __polls {
    ([$($zone:tt)*] [fn] { $($typed:tt)* } { $($body:tt)* }) => {
        $crate::__if_enabled!({
            $crate::InZone::in_zone(async move { $($typed)* $($body)* }, $crate::__zone!($($zone)*)).await
        } {{
            $crate::__zone!($($zone)*);
            $($body)*
        }})
    };
    ([$($zone:tt)*] [$($move:tt)?] { $($typed:tt)* } { $($body:tt)* }) => {
        $crate::__if_enabled!({
            $crate::InZone::in_zone(async $($move)? { $($typed)* $($body)* }, $crate::__zone!($($zone)*))
        } {
            async $($move)? {
                $crate::__zone!($($zone)*);
                $($body)*
            }
        })
    };
}
