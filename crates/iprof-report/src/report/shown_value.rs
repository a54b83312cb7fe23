//! Which named value a view shows.

use std::sync::Arc;

/// Which [named value](macro.value.html) a view's reports have columns of: the first, one by its name, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShownValue {
    /// The value that the program added to first; those of [`Allocator`](struct.Allocator.html) come last.
    #[default]
    First,
    /// The first value of that name; none as long as nothing was added to it.
    Named(Arc<str>),
    /// None.
    None,
}
