//! The instrumentation macros, such as `zone!`, `begin!` and `counter!`.
//!
//! The macros know whether anything is recorded by `__if_enabled!`. A `cfg` inside a macro's output would follow the
//! features of the crate that uses the macro.

/// The hook of a thread's first zone, which applies the environment variables. Called before that zone is entered, in the
/// cold path, and maybe again. The crate holds no lock that the thread did not hold before.
///
/// A program that is controlled by environment variables may call nothing of iprof but its zones. The crate `iprof-gather` enters
/// zones and does not know the environment, so this hook is stored in each zone. For that, everything that makes zones is in this
/// crate: the macros, `ZoneBuilder` and `RunTimeValue`. A hook that has to be set would not do, because such a program runs no
/// other code of this crate that could set it.
pub fn entered() {
    // Loom and Miri have no environment.
    #[cfg(all(feature = "environment", not(any(loom, miri))))]
    iprof_control::environment::apply(&crate::program::RUNNING_PROGRAM);
}

/// What must not compile, with and without the feature `enable`:
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
/// A public zone says so where it is defined, not where it is entered:
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
/// | `zone!(&RAYCAST)` | the zone of that path, made with [`define_zone!`](crate::define_zone!) |
///
/// A private zone belongs to this one place: another `zone!` of the same name is another zone. Leaving the scope closes
/// it, by `return`, `?` or a panic too.
///
/// The name of a method comes after its type's, `World::step`. A closure counts as the function it is in. Generic
/// arguments are left out, and all instances of a generic function are one zone.
///
/// Cost: two reads of the timestamp counter and a few stores, or the stores alone where it is
/// sampled; none without the feature `enable`. The thread needs no preparation. An `async` block
/// that holds a zone over an `.await` is not `Send`: a zone belongs to a thread.
///
/// A zone in which the program only waits, for work, for the next frame or for a lock, says so by the word
/// `idle` after its name. Reports keep what a thread waits for out of the ranking of what it does: one
/// dimmed row, `(idle)`, stands for all idle zones, and opens. Zones that an idle zone calls are not idle
/// themselves. Time outside zones on other threads than that of the frames counts as idle, too: see
/// [`View::idle_ranked`](crate::View::idle_ranked). `zone!(fn, idle)` names the zone after the function;
/// `zone!(idle)` is a zone named idle. All macros that make a zone take the word.
///
/// In its place, `budget = ` and a constant `Duration`, from 1 µs to an hour, give the zone a budget, as
/// [`set_zone_budget`](crate::set_zone_budget) does by name. All macros that take the word `idle` take it, too.
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
/// For a zone that is only sometimes there, hold the guard of [`open_zone!`](crate::open_zone!) in an option:
///
/// ```
/// fn render(is_shadow_pass: bool) {
///     let _zone = (!is_shadow_pass).then(|| iprof::open_zone!(render));
///     // …
/// }
/// # render(true);
/// ```
///
/// To have everything that is called from here left out, see [`recording_scope`](crate::recording_scope).
#[macro_export]
macro_rules! zone {
    ($($zone:tt)*) => {
        let _iprof_zone = $crate::__site!(enter, $crate::__zone!($($zone)*));
    };
}

/// Like [`zone!`](crate::zone!), but returns a guard, an [`OpenZone`](crate::OpenZone): the zone stays open
/// until it is dropped, or goes on as another zone by [`relabel!`](crate::relabel!).
///
/// Takes the arguments of [`zone!`](crate::zone!).
#[macro_export]
macro_rules! open_zone {
    ($($zone:tt)*) => {
        $crate::__site!(open, $crate::__zone!($($zone)*))
    };
}

/// Closes an open zone and opens another in its place: an [`OpenZone`](crate::OpenZone) goes on as
/// another zone, from here on, on behalf of the same caller.
///
/// What was spent so far stays with the zone as it was; the count of the other one goes up by one.
/// Zones that are still open above it are closed, as by [`end!`](crate::end!). A zone that is not
/// recorded, because timing or its thread's recording was off when it was opened, remains unrecorded.
///
/// Takes the open zone and the arguments of [`zone!`](crate::zone!). Costs what closing one zone and opening another does.
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

/// Defines a public zone: a static that can be entered in many places and files with
/// [`zone!(&NAME)`](crate::zone!).
///
/// Takes a visibility, a name for the static, the label that reports show, and maybe the word `idle`, for a
/// zone in which the program [only waits](crate::zone!), or the zone's [budget](crate::zone!). It can stand wherever a static can.
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

/// Opens a zone that no scope closes: [`end!`](crate::end!) does.
///
/// For sections of code that a scope does not fit. Takes the arguments of [`zone!`](crate::zone!). If the zone below it on
/// the stack closes first, it is closed too, and a warning line of the report names it.
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
/// With a name, or `fn` for the function's, the innermost open zone of that name; with `&NAME`, the innermost opening of that
/// public zone; with nothing, the innermost open zone whatever it is. It need not be in the same
/// function as its `begin!`, only on the same thread.
///
/// A zone that a scope opened is closed early by that; when the scope then ends, it counts as an
/// end without a begin.
///
/// Zones still open above the one that is closed are closed with it. If no such zone is open,
/// nothing happens. Both are counted, and a warning line of the report names the zone.
///
/// If a `begin!` was not recorded (timing was off, say), the next `end!` in the same enclosing zone is ignored,
/// so that it closes no other zone; once the enclosing zone is left, that is forgotten.
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

/// Measures from here to the end of the enclosing scope on the processor, as [`zone!`](crate::zone!)
/// does, and what the GPU does between the GL commands that are issued here and those that are
/// issued there.
///
/// The first argument is anything that derefs to a context of `glow` 0.18; it must be current on this
/// thread here and at the end of the scope; it is borrowed until then (a clone of an `Rc` or `Arc`
/// need not be the host's own). The others are the arguments of [`zone!`](crate::zone!).
///
#[cfg_attr(feature = "gl", doc = "```no_run")]
#[cfg_attr(not(feature = "gl"), doc = "```ignore")]
/// # fn context() -> std::rc::Rc<glow::Context> { unimplemented!() }
/// fn shadow_pass(gl: &glow::Context) {
///     iprof::gpu_zone!(gl, "shadow pass");
///     // … draw; zones in zones are measured, too
/// }
///
/// let gl = context();
/// // SAFETY: the context is current on this thread, and stays so.
/// unsafe { iprof::gl::init(gl.clone()) }?;
/// shadow_pass(&gl);
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
///
/// The context must be registered first: by `iprof::gl::init` or `gl::Painter::new` with the same `glow`
/// context, or by `iprof::gl::enable_gpu_zones`. In any other context only CPU time is measured, and a
/// warning in the report says so.
///
/// # Which frame gets the time
///
/// The GPU's time belongs to the frame in which the zone ended, the one that submitted the work. It
/// becomes known some frames later and is then shown with that frame: in the column
/// [`ColumnId::GpuTime`](crate::ColumnId::GpuTime) of the zone that submitted it, and in the report of a thread of
/// its own, `GPU`, whose tree is that of GPU zones in GPU zones. There the zone `(outside zones)` is what is
/// left of the frame; it is idle. If the work took longer than the frame nothing is left, and the GPU's frame is
/// as long as the work, in the title too: self times sum to it in any case. All contexts feed that
/// one thread. It is not among [`Threads::All`](crate::Threads::All): what the GPU does, no processor
/// does.
///
/// Averages ingest each frame once, in order, when all its times are known; after 256 frames missing times
/// are dropped. A discarded frame's GPU times are discarded too; those of the last frames before a pause
/// still arrive.
///
/// # When results are read
///
/// When the first GPU zone of a frame begins, on its thread; the overlay's painting, `iprof_draw`, is a GPU zone. Only what is ready is read, and only of frames that ended a
/// whole frame ago, so nothing blocks and no commands are flushed early. A program that draws nothing for a
/// while can have the rest by `iprof::gl::collect_gpu_times`.
///
/// # Where there is nothing
///
/// Times come from `GL_TIMESTAMP` queries: OpenGL 3.3, or `ARB_timer_query`; in OpenGL ES
/// `EXT_disjoint_timer_query`. Without, or where the driver's clock has no bits, which shows in
/// its times being all zero, it is a zone of the processor and nothing else. So it is in browsers, whose
/// `EXT_disjoint_timer_query_webgl2` has such a clock: zero bits, in Chromium. So it is without the
/// crate's feature `gl`, where the first argument is any expression. Without the feature `enable` it is nothing.
///
/// A host whose contexts are of another version of `glow`, or that has no `glow`, has
/// `iprof::gl::enter_gpu_zone`.
///
/// At most 512 zones of a context and thread can be under way. What is more, and what the driver says
/// that cannot be true, is not measured and counted in a warning line of the report.
///
/// # What it does to the host
///
/// A query before the commands and one after; no state of the host's changes, no error is made, and a
/// query that the host has active goes on. On OpenGL ES the flag `GPU_DISJOINT_EXT` is read, which
/// clears it: a host that reads it itself may miss that its own times are of no use. Queries of a
/// context that is gone are gone with it; those of a `glow` context that is dropped before its
/// context stay there unused. So use one `glow` context for each context, not a new one each frame.
///
/// Cost: that of a zone, of six GL calls and two short locks.
#[macro_export]
macro_rules! gpu_zone {
    ($gl:expr $(, $($zone:tt)*)?) => {
        $crate::__gpu_zone!($gl, $crate::__zone!($($($zone)*)?));
    };
}

/// Counts how often this place is passed, under the zone that is open; takes no time.
///
/// It shows in reports as a zone without time. Takes the name or the path of a zone, as [`zone!`](crate::zone!) does.
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
/// Takes a visibility, a name for the static, the label that reports show, the name of one unit (may be left
/// out), and for a value that is added to as a float the number of steps to which a unit is divided. A float is rounded
/// to the nearest step when it is added, and steps are added as whole numbers of 64 bits: so sums are exact, and the
/// same in whatever order threads add. A sum, also one of the whole session, is right up to ±2<sup>63</sup> steps, and wraps
/// around beyond.
///
/// ```
/// iprof::define_value!(pub BODIES, "bodies", "body");
/// iprof::define_value!(ENERGY, "energy", "J", 1_000); // in thousandths
/// # iprof::value!(ENERGY, 0.25);
/// # iprof::value!(BODIES, 2);
/// ```
///
/// To add a float to a value without steps is an error when the program is compiled.
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

/// Adds a number to a value that was made with [`define_value!`](crate::define_value!), at the zone that is open.
///
/// The number is an integer or a float, and may be negative. NaN adds nothing; an infinity, or a float of more than
/// 2<sup>63</sup> steps, adds that many; a `u64` from 2<sup>63</sup> on is taken for negative. Without an open zone the number
/// belongs to `(outside zones)`. Reports show the sum of a zone, and its time per unit:
/// nanoseconds per body, say. See [`View::value`](crate::View::value).
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
/// Files have the sums, too: pprof as a sample type, CSV as a column, JSON; and [`snapshot`](crate::snapshot) as data.
///
/// Cost: that of [`counter!`](crate::counter!), some 1 ns; none without the feature `enable`, where the number is not
/// evaluated. The memory of a value is that of a zone for each call stack in which it was added to.
#[macro_export]
macro_rules! value {
    ($value:path, $amount:expr $(,)?) => {{
        $crate::__recorded!({
            let iprof_steps = $value.steps($amount);
            $crate::__site!(add_to_value, $value.zone(), iprof_steps)
        })
    }};
}

// ---- the innermost macros -----------------------------------------------------------------------

/// Makes a zone of a name (an identifier or a string literal) and the words after it.
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

/// Adds the words after a zone's name to the zone: `idle`, or `budget = ` and a duration.
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

/// The zone that a macro's arguments name, as `&'static Zone`. Without `enable`: checks the arguments only.
#[doc(hidden)]
#[macro_export]
macro_rules! __zone {
    ($($zone:tt)*) => {
        $crate::__if_enabled!({ $crate::__recorded_zone!($($zone)*) } { $crate::__checked_zone!($($zone)*) })
    };
}

/// The zone that a macro's arguments name, as `&'static Zone`.
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
        // Not inside of the static, whose name would then be a part of the function's path.
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

/// Checks the arguments of a macro, and is nothing.
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

/// A guard for the rest of the scope, which borrows the context or keeps a temporary one alive. Without recording it is a
/// zone of the processor alone; the context is checked and not evaluated.
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

/// A zone of the processor alone; without the feature `gl` the context is any expression, and not evaluated.
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

/// What the attribute `instrument` makes of the body of an `async fn` (`[fn]`), and of an `async` block (`[]` or `[move]`):
/// each poll is in the zone. The first braces have the type that the body returns, the second ones the body. Without
/// `enable` the future is the body: it needs no more memory than without the attribute.
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
