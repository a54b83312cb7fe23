//! The instrumentation macros, such as `zone!`, `scope!`, `begin!` and `counter!`.
//!
//! Long because each macro stands here twice: as it is with `enable`, and without.
//!
//! Whether anything is recorded is decided here, by this crate's feature `enable`, and not inside
//! a macro's output, where it would follow the features of the crate that uses the macro.

/// What must not compile, with and without the feature `enable`:
///
/// ```compile_fail
/// static NOT_A_ZONE: u32 = 1;
/// fn f() {
///     iprof::scope!(NOT_A_ZONE);
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
///     iprof::zone_fn!(wait);
/// }
/// ```
/// ```compile_fail
/// fn f() {
///     iprof::zone_if!(true, wait, is_idle);
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
///     iprof::zone_fn!(budget = 4);
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
///     iprof::scope!(WAIT, idle);
/// }
/// ```
/// A guard belongs to its thread:
/// ```compile_fail
/// fn is_send<T: Send>() {}
/// is_send::<iprof::__private::Guard>();
/// ```
const _: () = ();

/// Measures from here to the end of the enclosing scope as a private zone.
///
/// The name is an identifier or a string literal. The zone belongs to this one place: another
/// `zone!` of the same name is another zone (for one zone in several places see
/// [`define_zone!`](crate::define_zone!)). Leaving the scope closes it, by `return`, `?` or a
/// panic too.
///
/// Cost: two reads of the timestamp counter and a few stores, or the stores alone where it is
/// sampled; none without the feature `enable`. The thread needs no preparation. An `async` block
/// that holds a zone over an `.await` is not `Send`: a zone belongs to a thread.
///
/// A zone in which the program only waits, for work, for the next frame or for a lock, says so by the word
/// `idle` after its name. Reports keep what a thread waits for out of the ranking of what it does: one
/// dimmed row, `(idle)`, stands for all idle zones, and opens. Zones that an idle zone calls are not idle
/// themselves. Time outside zones on other threads than that of the frames counts as idle, too: see
/// [`View::set_idle_ranked`](crate::View::set_idle_ranked). All macros that name a zone take the word.
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
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! zone {
    ($name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__zone!($crate::__private_zone!(::core::stringify!($name) $(, $word $(= $value)?)?));
    };
    ($name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__zone!($crate::__private_zone!($name $(, $word $(= $value)?)?));
    };
}

/// Measures from here to the end of the enclosing scope, named after the enclosing function.
///
/// A method's name comes after its type's, `World::step`; a closure counts as the function it is
/// in; generic arguments are left out, and all instances of a generic function are one zone.
/// Otherwise like [`zone!`](crate::zone!): `zone_fn!(idle)` says that the function only waits, and
/// `zone_fn!(budget = Duration::from_millis(4))` gives it a budget.
///
/// ```
/// fn simulate() {
///     iprof::zone_fn!();
/// }
/// fn wait_for_the_next_frame() {
///     iprof::zone_fn!(idle);
/// }
/// # simulate();
/// # wait_for_the_next_frame();
/// ```
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! zone_fn {
    ($($word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__zone!($crate::__function_zone!($($word $(= $value)?)?));
    };
}

/// Like [`zone!`](crate::zone!), but only if a condition is true: otherwise there is no zone, and its time
/// belongs to the enclosing zone.
///
/// Takes an expression of type `bool`, which is evaluated once, and a name, for a private zone, which may be idle or have
/// a budget as [`zone!`](crate::zone!)'s, or
/// `&NAME` for one that was made with [`define_zone!`](crate::define_zone!). Without the feature
/// `enable` the expression is checked and not evaluated. To have everything that is called from here
/// left out, see [`recording_scope`](crate::recording_scope).
///
/// ```
/// fn render(is_shadow_pass: bool) {
///     iprof::zone_if!(!is_shadow_pass, render);
///     // …
/// }
/// # render(true);
/// ```
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! zone_if {
    ($flag:expr, &$zone:path $(,)?) => {
        let _iprof_zone = $crate::__site!(
            enter_if,
            {
                let zone: &'static $crate::Zone = &$zone;
                zone
            },
            $flag
        );
    };
    ($flag:expr, $name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        let _iprof_zone = $crate::__site!(
            enter_if,
            $crate::__private_zone!(::core::stringify!($name) $(, $word $(= $value)?)?),
            $flag
        );
    };
    ($flag:expr, $name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        let _iprof_zone = $crate::__site!(
            enter_if,
            $crate::__private_zone!($name $(, $word $(= $value)?)?),
            $flag
        );
    };
}

/// Like [`zone!`](crate::zone!), but returns a guard, an [`OpenZone`](crate::OpenZone): the zone stays open
/// until it is dropped, or goes on as another zone by [`relabel!`](crate::relabel!).
///
/// Takes a name, for a private zone, which may be idle or have a budget as [`zone!`](crate::zone!)'s:
/// `open_zone!(load, budget = Duration::from_millis(4))`; or `&NAME` for one that was made with
/// [`define_zone!`](crate::define_zone!).
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! open_zone {
    (&$zone:path $(,)?) => {
        $crate::__site!(open, {
            let zone: &'static $crate::Zone = &$zone;
            zone
        })
    };
    ($name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__site!(
            open,
            $crate::__private_zone!(::core::stringify!($name) $(, $word $(= $value)?)?)
        )
    };
    ($name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__site!(open, $crate::__private_zone!($name $(, $word $(= $value)?)?))
    };
}

/// Closes an open zone and opens another in its place: an [`OpenZone`](crate::OpenZone) goes on as
/// another zone, from here on, on behalf of the same caller.
///
/// What was spent so far stays with the zone as it was; the count of the other one goes up by one.
/// Zones that are still open above it are closed, as by [`end!`](crate::end!). A zone that is not
/// recorded, because timing or its thread's recording was off when it was opened, remains unrecorded.
///
/// Takes the open zone and a name, for a private zone, which may be idle or have a budget as [`zone!`](crate::zone!)'s, or `&NAME` for one that was made with
/// [`define_zone!`](crate::define_zone!). Costs what closing one zone and opening another does.
///
/// ```
/// let mut phase = iprof::open_zone!(read);
/// let words = "a few words".split(' ');
/// iprof::relabel!(phase, sort);
/// let mut words: Vec<&str> = words.collect();
/// words.sort();
/// drop(phase);
/// ```
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! relabel {
    ($open:expr, &$zone:path $(,)?) => {
        $crate::__site!(
            relabel,
            {
                let zone: &'static $crate::Zone = &$zone;
                zone
            },
            &mut $open
        )
    };
    ($open:expr, $name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__site!(
            relabel,
            $crate::__private_zone!(::core::stringify!($name) $(, $word $(= $value)?)?),
            &mut $open
        )
    };
    ($open:expr, $name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__site!(
            relabel,
            $crate::__private_zone!($name $(, $word $(= $value)?)?),
            &mut $open
        )
    };
}

/// Defines a public zone: a static that can be entered in many places and files with
/// [`scope!`](crate::scope!).
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
///     iprof::scope!(RAYCAST);
/// }
/// fn hears() {
///     iprof::scope!(RAYCAST);
/// }
/// # sees(); hears();
/// ```
#[macro_export]
macro_rules! define_zone {
    ($(#[$attribute:meta])* $visibility:vis $NAME:ident, $label:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $(#[$attribute])*
        $visibility static $NAME: $crate::Zone = $crate::__zone_with!(
            $crate::Zone::new(
                $label,
                ::core::file!(),
                ::core::line!(),
                ::core::module_path!(),
            )
            $(, $word $(= $value)?)?
        );
    };
}

/// Measures from here to the end of the enclosing scope as a zone that was made with
/// [`define_zone!`](crate::define_zone!).
///
/// Otherwise like [`zone!`](crate::zone!).
///
/// ```
/// iprof::define_zone!(SORT, "sort");
///
/// fn sort(items: &mut [u32]) {
///     iprof::scope!(SORT);
///     items.sort();
/// }
/// # sort(&mut [2, 1]);
/// ```
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! scope {
    ($zone:path $(,)?) => {
        $crate::__zone!({
            let zone: &'static $crate::Zone = &$zone;
            zone
        });
    };
}

/// Opens a zone that no scope closes: [`end!`](crate::end!) does.
///
/// For sections of code that a scope does not fit. Takes a name, for a private zone, which may be idle or have a budget as
/// [`zone!`](crate::zone!)'s: `begin!(loading, budget = Duration::from_millis(4))`; or `&NAME` for one that was made with [`define_zone!`](crate::define_zone!). If the zone below it on the
/// stack closes first, it is closed too, and a warning line of the report names it.
///
/// ```
/// iprof::begin!(loading);
/// let level = std::env::args().count();
/// iprof::end!(loading);
/// # let _ = level;
/// ```
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! begin {
    (&$zone:path $(,)?) => {
        $crate::__site!(begin, {
            let zone: &'static $crate::Zone = &$zone;
            zone
        })
    };
    ($name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__site!(
            begin,
            $crate::__private_zone!(::core::stringify!($name) $(, $word $(= $value)?)?)
        )
    };
    ($name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__site!(begin, $crate::__private_zone!($name $(, $word $(= $value)?)?))
    };
}

/// Closes an open zone, usually one that [`begin!`](crate::begin!) opened.
///
/// With a name, the innermost open zone of that name; with `&NAME`, the innermost opening of that
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
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! end {
    () => {
        $crate::__site!(
            end,
            $crate::__private_zone!("end!()"),
            $crate::__private::EndMatching::Innermost
        )
    };
    (&$zone:path $(,)?) => {
        $crate::__site!(
            end,
            {
                let zone: &'static $crate::Zone = &$zone;
                zone
            },
            $crate::__private::EndMatching::Zone
        )
    };
    ($name:ident $(,)?) => {
        $crate::__site!(
            end,
            $crate::__private_zone!(::core::stringify!($name)),
            $crate::__private::EndMatching::Name
        )
    };
    ($name:literal $(,)?) => {
        $crate::__site!(
            end,
            $crate::__private_zone!($name),
            $crate::__private::EndMatching::Name
        )
    };
}

/// Measures from here to the end of the enclosing scope on the processor, as [`zone!`](crate::zone!)
/// does, and what the GPU does between the GL commands that are issued here and those that are
/// issued there.
///
/// The first argument is anything that derefs to a `glow` context, of any version that the crate was
/// built for; it must be current on this
/// thread here and at the end of the scope; it is borrowed until then (a clone of an `Rc` or `Arc`
/// need not be the host's own). The second is the name, an identifier or a string literal, for a
/// private zone, or `&NAME` for one that was made with [`define_zone!`](crate::define_zone!).
///
#[cfg_attr(feature = "glow-0-18", doc = "```no_run")]
#[cfg_attr(not(feature = "glow-0-18"), doc = "```ignore")]
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
/// The context must be registered first: by `iprof::gl::init` or `Overlay::new` with the same `glow`
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
/// When the first GPU zone of a frame begins, on its thread; the overlay's own drawing, `iprof_draw`
/// and `iprof_draw_graph`, is GPU zones. Only what is ready is read, and only of frames that ended a
/// whole frame ago, so nothing blocks and no commands are flushed early. A program that draws nothing for a
/// while can have the rest by `iprof::gl::collect_gpu_times`.
///
/// # Where there is nothing
///
/// Times come from `GL_TIMESTAMP` queries: OpenGL 3.3, or `ARB_timer_query`; in OpenGL ES
/// `EXT_disjoint_timer_query`. Without, or where the driver's clock has no bits, which shows in
/// its times being all zero, it is a zone of the processor and nothing else. So it is in browsers, whose
/// `EXT_disjoint_timer_query_webgl2` has such a clock: zero bits, in Chromium. So it is without the
/// crate's features `glow-0-18` and `glow-0-17`, where the first argument is any expression. Without the feature `enable` it
/// is nothing.
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
#[cfg(all(feature = "enable", feature = "_gl"))]
#[macro_export]
macro_rules! gpu_zone {
    ($gl:expr, &$zone:path $(,)?) => {
        $crate::__gpu_zone!($gl, {
            let zone: &'static $crate::Zone = &$zone;
            zone
        });
    };
    ($gl:expr, $name:ident $(,)?) => {
        $crate::__gpu_zone!($gl, $crate::__private_zone!(::core::stringify!($name)));
    };
    ($gl:expr, $name:literal $(,)?) => {
        $crate::__gpu_zone!($gl, $crate::__private_zone!($name));
    };
}

/// A zone of the processor alone.
#[cfg(all(feature = "enable", not(feature = "_gl")))]
#[macro_export]
macro_rules! gpu_zone {
    ($gl:expr, &$zone:path $(,)?) => {
        let _ = || {
            let _ = &$gl;
        };
        $crate::scope!($zone);
    };
    ($gl:expr, $name:ident $(,)?) => {
        let _ = || {
            let _ = &$gl;
        };
        $crate::zone!($name);
    };
    ($gl:expr, $name:literal $(,)?) => {
        let _ = || {
            let _ = &$gl;
        };
        $crate::zone!($name);
    };
}

/// Counts how often this place is passed, under the zone that is open; takes no time.
///
/// It shows in reports as a zone without time. The name is an identifier or a string literal.
///
/// ```
/// fn allocate() {
///     iprof::counter!(allocations);
/// }
/// # allocate();
/// ```
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! counter {
    ($name:ident $(,)?) => {
        $crate::__site!(
            count_entry,
            $crate::__private_zone!(::core::stringify!($name))
        )
    };
    ($name:literal $(,)?) => {
        $crate::__site!(count_entry, $crate::__private_zone!($name))
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
/// Floats need steps:
#[cfg_attr(feature = "enable", doc = "```compile_fail")]
#[cfg_attr(not(feature = "enable"), doc = "```ignore")] // The number is not evaluated.
/// iprof::define_value!(BODIES, "bodies", "body");
/// iprof::value!(BODIES, 0.5);
/// ```
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
            $crate::Zone::new($label, ::core::file!(), ::core::line!(), ::core::module_path!()),
            $unit,
        );
    };
}

/// Adds a number to a value that was made with [`define_value!`](crate::define_value!), at the zone that is open.
///
/// The number is an integer or a float, and may be negative. NaN adds nothing; an infinity, or a float of more than
/// 2<sup>63</sup> steps, adds that many; a `u64` from 2<sup>63</sup> on is taken for negative. Without an open zone the number
/// belongs to `(outside zones)`. Reports show the sum of a zone, and its time per unit:
/// nanoseconds per body, say. See [`View::set_value`](crate::View::set_value).
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
#[cfg(feature = "enable")]
#[macro_export]
macro_rules! value {
    ($value:path, $amount:expr $(,)?) => {{
        let iprof_steps = $value.steps($amount);
        $crate::__site!(add_to_value, $value.zone(), iprof_steps)
    }};
}

/// The one zone of this place.
#[cfg(feature = "enable")]
#[doc(hidden)]
#[macro_export]
macro_rules! __private_zone {
    ($label:expr $(, $word:ident $(= $value:expr)?)?) => {{
        static ZONE: $crate::Zone = $crate::__zone_with!(
            $crate::Zone::new(
                $label,
                ::core::file!(),
                ::core::line!(),
                ::core::module_path!(),
            )
            $(, $word $(= $value)?)?
        );
        &ZONE
    }};
}

/// The zone of this place that is named after the enclosing function.
#[cfg(feature = "enable")]
#[doc(hidden)]
#[macro_export]
macro_rules! __function_zone {
    ($($word:ident $(= $value:expr)?)?) => {{
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
            $(, $word $(= $value)?)?
        );
        &ZONE
    }};
}

/// A zone with what the word after its name says: `idle`, or `budget = ` and a duration. Another word is a compile error.
#[doc(hidden)]
#[macro_export]
macro_rules! __zone_with {
    ($zone:expr) => {
        $zone
    };
    ($zone:expr, idle) => {
        $zone.idle()
    };
    ($zone:expr, budget = $budget:expr) => {
        $zone.budget($budget)
    };
}

/// A guard for the rest of the scope.
#[cfg(feature = "enable")]
#[doc(hidden)]
#[macro_export]
macro_rules! __zone {
    ($zone:expr) => {
        let _iprof_zone = $crate::__site!(enter, $zone);
    };
}

/// A guard for the rest of the scope, which borrows the context or keeps a temporary one alive.
#[cfg(all(feature = "enable", feature = "_gl"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __gpu_zone {
    ($gl:expr, $zone:expr) => {
        let iprof_gl = &$gl;
        let iprof_gl = {
            #[allow(unused_imports)] // One of them is used.
            use $crate::__private::{
                IsContext as _, IsNoContext as _, PointsToContext as _, PointsToPointer as _,
            };
            (&&&$crate::__private::Named(iprof_gl)).iprof_context()
        };
        let _iprof_zone = $crate::__site!(gpu_enter, $zone, iprof_gl);
    };
}

/// What the attribute `instrument` makes of the body of an `async fn` (`[fn]`), and of an `async` block (`[]` or `[move]`):
/// each poll is in the zone. The first braces have the type that the body returns, the second ones the body.
#[cfg(feature = "enable")]
#[doc(hidden)]
#[macro_export]
macro_rules! __polls {
    ($zone:tt [fn] { $($typed:tt)* } { $($body:tt)* }) => {
        $crate::InZone::in_zone(async move { $($typed)* $($body)* }, $crate::__zone_of_polls!($zone)).await
    };
    ($zone:tt [$($move:tt)?] { $($typed:tt)* } { $($body:tt)* }) => {
        $crate::InZone::in_zone(async $($move)? { $($typed)* $($body)* }, $crate::__zone_of_polls!($zone))
    };
}

#[cfg(feature = "enable")]
#[doc(hidden)]
#[macro_export]
macro_rules! __zone_of_polls {
    ([$name:literal $($word:ident $(= $value:expr)?)?]) => {
        $crate::__private_zone!($name $(, $word $(= $value)?)?)
    };
    ([$($word:ident $(= $value:expr)?)?]) => {
        $crate::__function_zone!($($word $(= $value)?)?)
    };
}

/// Calls a function with what this place remembers on this thread.
#[cfg(feature = "enable")]
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    ($function:ident, $zone:expr $(, $more:expr)?) => {{
        ::std::thread_local! {
            static SITE: $crate::__private::Site = const { $crate::__private::Site::new() };
        }
        $crate::__private::$function(&SITE, $zone $(, $more)?)
    }};
}

// ---- without `enable`: the same grammar, nothing behind it ------------------------------------

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! zone {
    ($name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $($crate::__word!($word $(= $value)?);)?
    };
    ($name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__label!($name);
        $($crate::__word!($word $(= $value)?);)?
    };
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! gpu_zone {
    ($gl:expr, &$zone:path $(,)?) => {
        $crate::__is_context!($gl);
        $crate::__is_zone!($zone);
    };
    ($gl:expr, $name:ident $(,)?) => {
        $crate::__is_context!($gl);
    };
    ($gl:expr, $name:literal $(,)?) => {
        $crate::__is_context!($gl);
        $crate::__label!($name);
    };
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! zone_fn {
    ($($word:ident $(= $value:expr)?)? $(,)?) => {
        $($crate::__word!($word $(= $value)?);)?
    };
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! zone_if {
    ($flag:expr, &$zone:path $(,)?) => {
        $crate::__is_zone!($zone);
        $crate::__has_type!($flag, bool);
    };
    ($flag:expr, $name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $($crate::__word!($word $(= $value)?);)?
        $crate::__has_type!($flag, bool);
    };
    ($flag:expr, $name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {
        $crate::__label!($name);
        $($crate::__word!($word $(= $value)?);)?
        $crate::__has_type!($flag, bool);
    };
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! open_zone {
    (&$zone:path $(,)?) => {{
        $crate::__is_zone!($zone);
        $crate::__private::open_nothing()
    }};
    ($name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {{
        $($crate::__word!($word $(= $value)?);)?
        $crate::__private::open_nothing()
    }};
    ($name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {{
        $crate::__label!($name);
        $($crate::__word!($word $(= $value)?);)?
        $crate::__private::open_nothing()
    }};
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! relabel {
    ($open:expr, &$zone:path $(,)?) => {{
        $crate::__is_zone!($zone);
        $crate::__has_type!(&mut $open, &mut $crate::OpenZone);
    }};
    ($open:expr, $name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {{
        $($crate::__word!($word $(= $value)?);)?
        $crate::__has_type!(&mut $open, &mut $crate::OpenZone);
    }};
    ($open:expr, $name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {{
        $($crate::__word!($word $(= $value)?);)?
        $crate::__label!($name);
        $crate::__has_type!(&mut $open, &mut $crate::OpenZone);
    }};
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! scope {
    ($zone:path $(,)?) => {
        $crate::__is_zone!($zone);
    };
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! begin {
    (&$zone:path $(,)?) => {{
        $crate::__is_zone!($zone);
    }};
    ($name:ident $(, $word:ident $(= $value:expr)?)? $(,)?) => {{
        $($crate::__word!($word $(= $value)?);)?
    }};
    ($name:literal $(, $word:ident $(= $value:expr)?)? $(,)?) => {{
        $crate::__label!($name);
        $($crate::__word!($word $(= $value)?);)?
    }};
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! end {
    () => {{}};
    (&$zone:path $(,)?) => {{
        $crate::__is_zone!($zone);
    }};
    ($name:ident $(,)?) => {{}};
    ($name:literal $(,)?) => {{
        $crate::__label!($name);
    }};
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! counter {
    ($name:ident $(,)?) => {{}};
    ($name:literal $(,)?) => {{
        $crate::__label!($name);
    }};
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! value {
    ($value:path, $amount:expr $(,)?) => {{
        let _ = || {
            let _ = $value.steps($amount);
        };
    }};
}

/// A compile error unless the word after a zone's name is `idle`, or `budget = ` and a duration, which is not evaluated.
#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __word {
    (idle) => {};
    (budget = $budget:expr) => {
        $crate::__has_type!($budget, ::core::time::Duration);
    };
}

/// A compile error unless the label is a string.
#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __label {
    ($label:literal) => {
        const _: &str = $label;
    };
}

/// A compile error unless the expression has that type; it is not evaluated.
#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __has_type {
    ($value:expr, $type:ty) => {
        if false {
            let _: $type = $value;
        }
    };
}

/// A compile error unless the path is that of a zone.
#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __is_zone {
    ($zone:path) => {
        let _ = || -> &'static $crate::Zone { &$zone };
    };
}

/// A compile error unless the expression derefs to a context of `glow`; never evaluated.
#[cfg(all(not(feature = "enable"), feature = "_gl"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __is_context {
    ($gl:expr) => {
        let _ = || {
            #[allow(unused_imports)] // One of them is used.
            use $crate::__private::{
                IsContext as _, IsNoContext as _, PointsToContext as _, PointsToPointer as _,
            };
            let iprof_gl = &$gl;
            let _ = (&&&$crate::__private::Named(iprof_gl)).iprof_context();
        };
    };
}

/// What is a context is not known without the feature `gl`.
#[cfg(all(not(feature = "enable"), not(feature = "_gl")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __is_context {
    ($gl:expr) => {
        let _ = || {
            let _ = &$gl;
        };
    };
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __polls {
    ($zone:tt [fn] $typed:tt { $($body:tt)* }) => {{
        $crate::__words_of_polls!($zone);
        $($body)*
    }};
    ($zone:tt [$($move:tt)?] $typed:tt { $($body:tt)* }) => {
        async $($move)? {
            $crate::__words_of_polls!($zone);
            $($body)*
        }
    };
}

#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __words_of_polls {
    ([$($name:literal)? $($word:ident $(= $value:expr)?)?]) => {
        $($crate::__word!($word $(= $value)?);)?
    };
}
