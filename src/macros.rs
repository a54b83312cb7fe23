//! The instrumentation macros, such as `zone!`, `begin!` and `counter!`.
//!
//! The macros use `__if_enabled!` to determine whether recording is compiled in. A `cfg` in a macro's expansion would
//! check the features of the crate that uses the macro.

/// Applies the environment variables. Zones call this hook before a thread enters its first zone.
///
/// The call is on the cold path, may happen more than once, and is made while iprof holds no lock that the thread did
/// not already hold.
///
/// `iprof-gather` enters zones but doesn't depend on the code that reads the environment, so every zone stores this
/// hook. That is why everything that creates zones is in this crate. Installing the hook at startup would not work,
/// since a program may use nothing of iprof except zones.
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
/// `idle` is the only word that may follow a zone's name:
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

/// Measures the time from here to the end of the enclosing scope.
///
/// | form | zone |
/// |---|---|
/// | `zone!(physics)`, `zone!("one body")` | a private zone with that name |
/// | `zone!()`, `zone!(fn)` | a private zone named after the enclosing function |
/// | `zone!(&RAYCAST)` | the public zone at that path, defined with [`define_zone!`](crate::define_zone!) |
///
/// A private zone belongs to one place in the source: a second `zone!` with the same name is a different zone. The zone
/// closes when the scope exits, including by `return`, `?` or a panic.
///
/// A method's zone includes the type in its name, as in `World::step`. In a closure, the zone is named after the
/// enclosing function. Generic arguments are omitted, and all instances of a generic function share one zone.
///
/// An exact zone costs two reads of the timestamp counter and a few stores. A sampled zone costs only the stores, and
/// without the feature `enable` a zone costs nothing. Threads need no setup. A zone belongs to a thread, so an `async`
/// block that holds one across an `.await` is not `Send`.
///
/// # Idle zones
///
/// If the program only waits in a zone, whether for work, for the next frame or for a lock, write the word `idle` after
/// the zone's name. `zone!(fn, idle)` is named after the function, while `zone!(idle)` is an ordinary zone named
/// "idle".
///
/// Reports do not rank waiting together with work. All idle zones share one dimmed row, `(idle)`, which can be
/// expanded. A zone called from an idle zone is not idle itself. On every thread except the one that ends frames, time
/// outside zones counts as idle too: see [`View::idle_ranked`](crate::View::idle_ranked).
///
/// # Zone budgets
///
/// Instead of `idle`, you can write `budget = ` and a constant `Duration` from 1 µs to an hour. It gives the zone a
/// budget, as [`set_zone_budget`](crate::set_zone_budget) does by name.
///
/// All macros that create a zone accept `idle` and `budget`.
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
/// To open a zone conditionally, keep the guard from [`open_zone!`](crate::open_zone!) in an `Option`:
///
/// ```
/// fn render(is_shadow_pass: bool) {
///     let _zone = (!is_shadow_pass).then(|| iprof::open_zone!(render));
///     // …
/// }
/// # render(true);
/// ```
///
/// To exclude everything called from this scope, see [`recording_scope`](crate::recording_scope).
#[macro_export]
macro_rules! zone {
    ($($zone:tt)*) => {
        let _iprof_zone = $crate::__site!(enter, $crate::__zone!($($zone)*));
    };
}

/// Opens a zone like [`zone!`](crate::zone!), but returns its guard, an [`OpenZone`](crate::OpenZone).
///
/// The zone stays open until the guard is dropped, or until [`relabel!`](crate::relabel!) turns it into a different
/// zone. Takes the same arguments as [`zone!`](crate::zone!).
#[macro_export]
macro_rules! open_zone {
    ($($zone:tt)*) => {
        $crate::__site!(open, $crate::__zone!($($zone)*))
    };
}

/// Closes the zone of an [`OpenZone`](crate::OpenZone) and opens a new one in its place, under the same caller.
///
/// Time spent so far stays with the old zone, and the new zone's count goes up by one. Zones that are still open above
/// the old zone are closed, as with [`end!`](crate::end!). A zone that was not recorded, because timing or its thread's
/// recording was off when it was opened, remains unrecorded.
///
/// Takes the open zone, followed by the same arguments as [`zone!`](crate::zone!). Costs as much as closing one zone
/// and opening the next.
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

/// Defines a public zone: a static that any number of places and files can enter with [`zone!(&NAME)`](crate::zone!).
///
/// Takes a visibility, a name for the static and the label shown in reports. They may be followed by the word `idle`,
/// for a zone in which the program [only waits](crate::zone!), or by a [budget](crate::zone!). The macro can be used
/// wherever a static can be defined.
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
/// Takes the same arguments as [`zone!`](crate::zone!). If the zone below it on the stack closes first, both are
/// closed, and a warning line in the report names the zone that was not ended.
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
/// | form | which zone is closed |
/// |---|---|
/// | `end!(loading)`, `end!("loading")` | the innermost open zone of that name |
/// | `end!(fn)` | the innermost open zone named after the enclosing function |
/// | `end!(&NAME)` | the most recent entry into that public zone |
/// | `end!()` | the innermost open zone |
///
/// It may be in a different function from its `begin!`, but must run on the same thread. If zones are still open above
/// the one that is closed, they are closed with it. If no zone matches, nothing happens. Both cases are counted, and a
/// warning line in the report names the zone.
///
/// You can close a zone early even if a scope opened it. The end of that scope then counts as an end without a begin.
///
/// If a `begin!` was not recorded, for example because timing was off, the next `end!` in the same enclosing zone is
/// ignored, so that it doesn't close a different zone. Exiting the enclosing zone clears this state.
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
/// thread at both ends of the scope. It stays borrowed in between, so pass a clone of an `Rc` or `Arc` if the host
/// needs it meanwhile. The other arguments are the same as for [`zone!`](crate::zone!).
///
#[cfg_attr(feature = "gl", doc = "```no_run")]
#[cfg_attr(not(feature = "gl"), doc = "```ignore")]
/// # fn context() -> std::rc::Rc<glow::Context> { unimplemented!() }
/// fn shadow_pass(gl: &glow::Context) {
///     iprof::gpu_zone!(gl, "shadow pass");
///     // … draw; nested zones are measured as well
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
/// `glow` context. In any other context only CPU time is measured, and the report shows a warning.
///
/// # How GPU times are assigned to frames
///
/// GPU time belongs to the frame in which the zone ended, because that frame submitted the work. The time arrives a few
/// frames later and is then shown with that frame, in two places: in the column
/// [`ColumnId::GpuTime`](crate::ColumnId::GpuTime) of the zone that submitted the work, and in the report of a thread
/// named `GPU`.
///
/// `GPU`'s call tree consists of GPU zones nested in GPU zones, from all contexts. The remainder of the frame is its
/// idle zone `(outside zones)`. If the work took longer than the frame, there is no remainder, and the GPU's frame is
/// as long as the work, in the title as well. Self times therefore always add up to the GPU's frame.
/// [`Threads::All`](crate::Threads::All) does not include `GPU`, since the GPU uses no processor time.
///
/// Averages include each frame once, in order, when all its times are known. Times still missing after 256 frames are
/// dropped. GPU times of discarded frames are also discarded. GPU times of the last frames before a pause still arrive.
///
/// # When results are read
///
/// Results are read when a frame's first GPU zone begins, on that zone's thread. The overlay's own zone, `iprof_draw`,
/// is also a GPU zone. Only available results are read, and only from frames that ended at least one whole frame ago.
/// So nothing blocks, and no commands are flushed early. A program that draws nothing for a while can fetch the
/// outstanding results with `iprof::gl::collect_gpu_times`.
///
/// # Where GPU times are unavailable
///
/// GPU times need `GL_TIMESTAMP` queries: OpenGL 3.3, `ARB_timer_query`, or `EXT_disjoint_timer_query` in OpenGL ES.
/// The zone measures only CPU time if these queries are unsupported, or if the driver reports a query counter of zero
/// bits, which makes all times zero. Chromium's `EXT_disjoint_timer_query_webgl2` reports such a counter. Without the
/// feature `gl`, the zone also measures only CPU time, and the first argument may be any expression. Without the
/// feature `enable` it does nothing.
///
/// With a context from a different version of `glow`, or without `glow`, use `iprof::gl::enter_gpu_zone`.
///
/// Each context and thread can have up to 512 zones in flight. Further zones, and zones with impossible times, are not
/// measured. A warning line in the report counts them.
///
/// # Effects on the host
///
/// Each zone issues one query before the commands and one after. It changes no GL state, raises no GL errors, and
/// leaves the host's active queries running. On OpenGL ES it reads the flag `GPU_DISJOINT_EXT`, which clears it, so a
/// host that also reads the flag may not notice that its own times are invalid. Queries are deleted together with their
/// context. If a `glow` context is dropped before its GL context, its queries stay allocated, so create one `glow`
/// context per GL context rather than one per frame.
///
/// A GPU zone costs as much as a zone, six GL calls and two short locks.
#[macro_export]
macro_rules! gpu_zone {
    ($gl:expr $(, $($zone:tt)*)?) => {
        $crate::__gpu_zone!($gl, $crate::__zone!($($($zone)*)?));
    };
}

/// Counts the number of times execution passes this point, under the open zone, without reading the clock.
///
/// Reports show the counter as a zone without time. Takes a zone's name or path, as [`zone!`](crate::zone!) does.
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
/// Takes a visibility, a name for the static, the label shown in reports and, optionally, the unit's name in the
/// singular. To add floats, also give the number of steps per unit. A float is rounded to the nearest step when it is
/// added, and steps are added as 64-bit integers. Sums are therefore exact, whatever order threads add in. A sum, even
/// over the whole session, is correct within ±2<sup>63</sup> steps and wraps around outside that range.
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

/// Adds a number to a value defined with [`define_value!`](crate::define_value!), at the open zone.
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
/// Exports also contain the sums: as a sample type in pprof, as a column in CSV, in JSON, and as data in a
/// [`snapshot`](crate::snapshot).
///
/// Costs as much as [`counter!`](crate::counter!). Without the feature `enable` it costs nothing, and the number is not
/// evaluated. For each call stack in which a value is added to, it uses as much memory as a zone.
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

/// Creates a zone from a name (an identifier or a string literal) and the words after it.
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
        // This function is outside the static, because the static's name would otherwise be part of the function's
        // path.
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

/// Checks a macro's arguments, and expands to nothing.
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

/// The body that the attribute `instrument` generates for an `async fn` (`[fn]`) or an `async` block (`[]` or
/// `[move]`), with each poll inside the zone. The first pair of braces contains the return type, the second pair the
/// body. Without `enable` the future is just the body, so it takes no additional memory.
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
