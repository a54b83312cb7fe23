//! The zone: a named stretch of code.

/// A named stretch of code. Zones are statics; the macros make them.
///
/// [`zone!`](crate::zone!) makes a private one, for one place in the source. A public one is made
/// with [`define_zone!`](crate::define_zone!) and entered with [`scope!`](crate::scope!) wherever
/// the same work is done. Two zones with the same name are two zones.
///
/// ```
/// iprof::define_zone!(pub RAYCAST, "ray cast");
///
/// fn line_of_sight() {
///     iprof::scope!(RAYCAST);
/// }
/// # line_of_sight();
/// assert_eq!(RAYCAST.label(), "ray cast");
/// ```
#[derive(Debug)]
pub struct Zone {
    name: Name,
    file: &'static str,
    line: u32,
    module: &'static str,
    /// Makes the static a place of its own: two zones are the same only if they are one static.
    _place: std::sync::atomic::AtomicU8,
}

/// How a zone got its name.
#[derive(Clone, Copy, Debug)]
enum Name {
    Label(&'static str),
    /// The path of a function inside the function that the zone is named after. The path is not
    /// known in a constant, so it is asked for when the name is.
    Function(fn() -> &'static str),
}

impl Zone {
    #[doc(hidden)]
    pub const fn new(
        label: &'static str,
        file: &'static str,
        line: u32,
        module: &'static str,
    ) -> Zone {
        Zone {
            name: Name::Label(label),
            file,
            line,
            module,
            _place: place(),
        }
    }

    #[doc(hidden)]
    pub const fn of_function(
        path: fn() -> &'static str,
        file: &'static str,
        line: u32,
        module: &'static str,
    ) -> Zone {
        Zone {
            name: Name::Function(path),
            file,
            line,
            module,
            _place: place(),
        }
    }

    /// The name under which reports show the zone.
    ///
    /// Of a zone that is named after its function, this is the function's name, after the name of
    /// its type if it is a method; see [`zone_fn!`](crate::zone_fn!).
    pub fn label(&self) -> String {
        match self.name {
            Name::Label(label) => label.to_owned(),
            Name::Function(path) => function_name(path()),
        }
    }

    /// Whether both have the same [`label`](Zone::label).
    pub(crate) fn is_named_like(&self, other: &Zone) -> bool {
        match (self.name, other.name) {
            (Name::Label(a), Name::Label(b)) => a == b,
            _ => self.label() == other.label(),
        }
    }

    /// The source file that defines the zone, as the compiler was given it.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The line of [`file`](Zone::file) that defines the zone, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The path of the module that defines the zone.
    pub fn module(&self) -> &'static str {
        self.module
    }
}

const fn place() -> std::sync::atomic::AtomicU8 {
    std::sync::atomic::AtomicU8::new(0)
}

/// `game::ai::Brain::think::{{closure}}::here` is shown as `Brain::think`, and
/// `game::ai::think::here` as `think`.
///
/// What the path does not say is whether `Brain` is a type or a module; Rust's naming convention
/// does.
fn function_name(path: &str) -> String {
    let outer = path.rsplit_once("::").map_or(path, |(outer, _here)| outer);
    let plain = without_generics(outer);
    let mut segments = plain
        .rsplit("::")
        .filter(|segment| !segment.starts_with("{{"));
    let function = segments.next().unwrap_or("function");
    match segments.next() {
        Some(owner) if owner.chars().next().is_some_and(char::is_uppercase) => {
            format!("{owner}::{function}")
        }
        _ => function.to_owned(),
    }
}

/// Drops `<…>` arguments, and reduces `<Type as Trait>` to `Type`.
fn without_generics(path: &str) -> String {
    if let Some(rest) = path.strip_prefix('<') {
        let mut depth = 1;
        for (at, c) in rest.char_indices() {
            depth += i32::from(c == '<') - i32::from(c == '>');
            if depth == 0 {
                let inner = &rest[..at];
                let implementor = top_level_as(inner).map_or(inner, |at| &inner[..at]);
                return without_generics(implementor) + &without_generics(&rest[at + 1..]);
            }
        }
    }
    let mut depth = 0;
    let mut plain = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Where ` as ` stands outside of any `<…>`.
fn top_level_as(path: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in path.char_indices() {
        depth += i32::from(c == '<') - i32::from(c == '>');
        if depth == 0 && path[at..].starts_with(" as ") {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_zone_is_named_after_its_function_and_its_type() {
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
            ("here", "here"),
        ] {
            assert_eq!(function_name(path), name, "{path}");
        }
    }
}
