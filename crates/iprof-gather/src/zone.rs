//! The zone: a named section of code.

mod intern;
pub mod run_time;

use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::time::Duration;

/// The longest zone or frame budget: an hour, in microseconds.
pub const MAX_BUDGET_US: u128 = 3_600_000_000;

/// Rounds a budget to microseconds.
pub const fn rounded_us(budget: Duration) -> u128 {
    (budget.as_nanos() + 500) / 1_000
}

/// The name of every thread's root, whose self time is the time outside all zones.
pub const OUTSIDE_ZONES: &str = "(outside zones)";
/// The profiler's own crates, as they appear in module paths.
const OWN_CRATES: [&str; 2] = ["iprof", "iprof_gather"];
pub const UNNAMED: &str = "(unnamed)";
/// The name of the row for the idle portion of the time outside zones, in reports that show it separately.
pub const IDLE_OUTSIDE: &str = "(outside zones, idle)";

/// A named section of code. Zones are statics, which the macros define.
///
/// [`zone!`] defines a private zone for one place in the source. [`define_zone!`] defines a shared zone, which
/// `zone!(&NAME)` can enter in any number of places. Zones that share a name are still distinct.
///
/// ```
/// iprof::define_zone!(pub RAYCAST, "ray cast");
///
/// fn line_of_sight() {
///     iprof::zone!(&RAYCAST);
/// }
/// # line_of_sight();
/// assert_eq!(RAYCAST.label(), "ray cast");
/// ```
///
/// [`zone!`]: https://docs.rs/iprof/latest/iprof/macro.zone.html
/// [`define_zone!`]: https://docs.rs/iprof/latest/iprof/macro.define_zone.html
#[derive(Debug)]
pub struct Zone {
    name: Name,
    file: &'static str,
    line: u32,
    module: &'static str,
    /// Whether the program only waits in the zone.
    idle: bool,
    /// The zone's budget per frame in microseconds, or 0 without a budget.
    budget_us: u32,
    /// The unit of a [named value](crate::NamedValue).
    unit: &'static str,
    /// The number of steps per unit, or 0 if this is a zone.
    steps: u32,
    /// Invariant: null, or the zone's interned copy, which lives as long as the program. Different zones have different
    /// copies, and a copy points to itself. This field also gives each static a unique address, which is its identity.
    interned: AtomicPtr<Zone>,
    /// The hook to run before a thread enters this as its first zone. Each zone stores the hook, because the code that
    /// enters zones does not depend on the code that the hook calls.
    on_first_zone: fn(),
}

#[derive(Clone, Copy, Debug)]
enum Name {
    Label(&'static str),
    /// A function that returns the path of a function nested in the one that the zone is named after. A constant cannot
    /// hold the path, so the path is computed when the name is needed.
    Function(fn() -> &'static str),
    /// The path that the function returned.
    Path(&'static str),
}

impl Name {
    /// Returns the label, or the path from which the label is made.
    fn text(self) -> &'static str {
        match self {
            Name::Label(text) | Name::Path(text) => text,
            Name::Function(path) => path(),
        }
    }
}

impl Zone {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        label: &'static str,
        file: &'static str,
        line: u32,
        module: &'static str,
    ) -> Zone {
        Zone::named(Name::Label(label), file, line, module)
    }

    /// Creates a zone named after the function that encloses the one with the path `path()`.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_function(
        path: fn() -> &'static str,
        file: &'static str,
        line: u32,
        module: &'static str,
    ) -> Zone {
        Zone::named(Name::Function(path), file, line, module)
    }

    const fn named(name: Name, file: &'static str, line: u32, module: &'static str) -> Zone {
        const fn nothing() {}
        Zone {
            name,
            file,
            line,
            module,
            idle: false,
            budget_us: 0,
            unit: "",
            steps: 0,
            interned: AtomicPtr::new(ptr::null_mut()),
            on_first_zone: nothing,
        }
    }

    /// Sets the hook to run before a thread enters this as its first zone.
    #[doc(hidden)]
    #[must_use]
    pub const fn on_first_zone(mut self, hook: fn()) -> Zone {
        self.on_first_zone = hook;
        self
    }

    #[doc(hidden)]
    pub fn run_first_zone_hook(&self) {
        (self.on_first_zone)();
    }

    /// Returns the name of the zone in reports.
    ///
    /// A zone that is named after its function has the function's name, prefixed with the type's name if it is a
    /// method. See [`zone!`](https://docs.rs/iprof/latest/iprof/macro.zone.html).
    #[must_use]
    pub fn label(&self) -> String {
        match self.name {
            Name::Label(label) => label.to_owned(),
            Name::Function(_) | Name::Path(_) => function_name(self.name.text()),
        }
    }

    #[inline]
    #[doc(hidden)]
    pub fn is_labeled(&self, label: &str) -> bool {
        matches!(self.name, Name::Label(own) if own == label)
    }

    /// Returns the zone's copy for recorded data, which lives as long as the program even if the static does not.
    /// Returns `None` if there is no memory for it.
    #[inline]
    #[doc(hidden)]
    pub fn interned(&'static self) -> Option<&'static Zone> {
        intern::interned(self)
    }

    /// Like [`interned`](Self::interned), but does not create the copy.
    #[inline]
    #[doc(hidden)]
    pub fn already_interned(&self) -> Option<&'static Zone> {
        intern::already_interned(self)
    }

    /// Marks the zone as idle, which means that the program only waits in it.
    #[doc(hidden)]
    #[must_use]
    pub const fn idle(mut self) -> Zone {
        self.idle = true;
        self
    }

    /// Sets the zone's budget per frame.
    #[doc(hidden)]
    #[must_use]
    pub const fn budget(mut self, budget: Duration) -> Zone {
        let us = rounded_us(budget);
        assert!(
            us >= 1 && us <= MAX_BUDGET_US,
            "the budget of a zone must be from 1 us to 1 hour"
        );
        self.budget_us = us as u32;
        self
    }

    /// Returns the zone's budget per frame in microseconds, if it has one.
    #[doc(hidden)]
    pub fn budget_us(&self) -> Option<u32> {
        (self.budget_us > 0).then_some(self.budget_us)
    }

    /// Turns the zone into a named value with this many steps per unit.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_unit(mut self, unit: &'static str, steps: u32) -> Zone {
        (self.unit, self.steps) = (unit, steps);
        self
    }

    /// Returns the unit of a named value and its steps per unit, or `None` if this is a zone.
    #[inline]
    #[doc(hidden)]
    pub fn unit(&self) -> Option<(&'static str, u32)> {
        (self.steps > 0).then_some((self.unit, self.steps))
    }

    #[doc(hidden)]
    pub fn is_named_like(&self, other: &Zone) -> bool {
        match (self.name, other.name) {
            (Name::Label(a), Name::Label(b)) => a == b,
            _ => self.label() == other.label(),
        }
    }

    /// Returns the source file of the zone's definition, as passed to the compiler.
    #[must_use]
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// Returns the line of the definition in [`file`](Zone::file). The first line is 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns whether the zone was declared [`idle`](https://docs.rs/iprof/latest/iprof/macro.zone.html), which means
    /// that the program only waits in it. This applies to its self time, not to the zones that it calls.
    ///
    /// ```
    /// iprof::define_zone!(WAIT, "wait for work", idle);
    /// assert!(WAIT.is_idle());
    /// ```
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    #[doc(hidden)]
    pub fn is_own(&self) -> bool {
        let owner = self.module.split("::").next();
        owner.is_some_and(|owner| OWN_CRATES.contains(&owner))
    }

    /// Returns the path of the module with the zone's definition.
    #[must_use]
    pub fn module(&self) -> &'static str {
        self.module
    }
}

/// Shortens `game::ai::Brain::think::{{closure}}::here` to `Brain::think`, `game::ai::think::here` to `think`, and
/// `<(game::Brain, u8) as game::Mind>::think::here` to `(Brain, u8)::think`.
///
/// Rust's naming convention is the only way to tell whether `Brain` is a type or a module.
fn function_name(path: &str) -> String {
    let outer = path.rsplit_once("::").map_or(path, |(outer, _here)| outer);
    let (implementor, inside) = match implementor(outer) {
        Some((implementor, inside)) => (Some(implementor), inside),
        None => (None, outer),
    };
    let plain = without_generics(inside);
    let mut segments = plain
        .rsplit("::")
        .filter(|segment| !segment.is_empty() && !segment.starts_with("{{"));
    let function = segments.next().unwrap_or("function");
    match (segments.next(), implementor) {
        (Some(owner), _) if owner.chars().next().is_some_and(char::is_uppercase) => {
            format!("{owner}::{function}")
        }
        (None, Some(implementor)) => format!("{}::{function}", type_name(implementor)),
        _ => function.to_owned(),
    }
}

/// Splits `<Type as Trait>::function` into the type and the rest.
fn implementor(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix('<')?;
    let (end, ..) = by_depth(path).find(|(.., depth)| *depth == 0)?;
    let inner = &path[1..end];
    let outside = |(at, _, before, _): &(usize, char, i32, i32)| {
        *before == 0 && inner[*at..].starts_with(" as ")
    };
    let implementor = by_depth(inner)
        .find(outside)
        .map_or(inner, |(at, ..)| &inner[..at]);
    Some((implementor, &path[end + 1..]))
}

/// Removes generic arguments and module paths from a type.
fn type_name(path: &str) -> String {
    let plain = without_generics(path);
    let is_of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut name = String::with_capacity(plain.len());
    for part in plain.split_inclusive(|c| !is_of_path(c)) {
        name.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    name
}

/// Removes generic arguments in `<…>`.
fn without_generics(path: &str) -> String {
    by_depth(path)
        .filter(|(.., before, after)| (*before, *after) == (0, 0))
        .map(|(_, c, ..)| c)
        .collect()
}

/// Returns each character with its position and the nesting depth of `<…>` before and after it. The arrow in
/// `fn() -> u8` does not count as a closing bracket.
fn by_depth(path: &str) -> impl Iterator<Item = (usize, char, i32, i32)> + '_ {
    let (mut depth, mut last) = (0, ' ');
    path.char_indices().map(move |(at, c)| {
        let before = depth;
        match c {
            '<' => depth += 1,
            '>' if last != '-' => depth -= 1,
            _ => {}
        }
        last = c;
        (at, c, before, depth)
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn function_zone_is_named_after_function_and_type() {
        for (path, name) in [
            ("game::think::here", "think"),
            ("game::ai::think::here", "think"),
            ("game::ai::Brain::think::here", "Brain::think"),
            ("game::ai::Brain<T>::think::here", "Brain::think"),
            ("game::ai::think::{{closure}}::here", "think"),
            (
                "<game::Brain as game::ai::Mind>::think::here",
                "Brain::think",
            ),
            (
                "<game::Brain<A, B<C>> as game::Mind<D>>::think<E>::here",
                "Brain::think",
            ),
            ("<T as game::Mind>::think::here", "T::think"),
            ("<(T, &str) as game::Mind>::think::here", "(T, &str)::think"),
            (
                "<(game::Brain<A>, &[game::Cell; 3]) as game::Mind>::think::here",
                "(Brain, &[Cell; 3])::think",
            ),
            ("<&game::Brain as game::Mind>::think::here", "&Brain::think"),
            ("<[u8] as game::Mind>::think::here", "[u8]::think"),
            ("<u8 as game::Mind>::think::here", "u8::think"),
            (
                "<dyn game::Mind as game::Mind>::think::here",
                "dyn Mind::think",
            ),
            (
                "<fn(game::Brain) -> u8 as game::Mind>::think::here",
                "fn(Brain) -> u8::think",
            ),
            ("game::think<fn() -> u8>::here", "think"),
            ("here", "here"),
        ] {
            assert_eq!(function_name(path), name, "{path}");
        }
    }
}
