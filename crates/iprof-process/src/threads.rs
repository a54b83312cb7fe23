//! The threads that have recorded something, and the threads that a view shows.

use std::cmp::Ordering;

/// The threads that a view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// All threads except the GPU, summed zone by zone.
    ///
    /// The GPU runs in parallel with the threads ([`gpu_zone!`](macro.gpu_zone.html)). It has a separate column, and
    /// can be shown like a thread.
    #[default]
    All,
    /// The thread that calls [`update`](fn.update.html), or the first thread in a program that never calls it. This
    /// thread's self times add up to the frame's time.
    Frame,
    /// A single thread. If the thread doesn't exist, the report is empty. If several threads share a name, titles
    /// number them: `worker #2` is the second one seen.
    One(ThreadId),
    /// All threads in this thread's group, such as the workers of a pool, summed zone by zone.
    ///
    /// The names of threads in a group differ only in a trailing number, as in `worker-3` or `Compute (3)`. Names are
    /// compared when the report is built, so [`set_thread_name`](fn.set_thread_name.html) changes the group. If the
    /// thread doesn't exist, the report is empty. The graph only shows the given thread's frames, so that each bar is
    /// one frame.
    Group(ThreadId),
}

/// Identifies a thread that has recorded something. [`threads`](crate::threads) lists them.
///
/// If a thread begins after a thread of the same name has ended, it takes over the ended thread's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(#[doc(hidden)] pub u32);

/// A thread that has recorded something, for [`View::set_threads`](struct.View.html#method.set_threads).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadInfo {
    /// The thread's id, which is valid for as long as the program runs.
    pub id: ThreadId,
    /// The thread's name in reports.
    pub name: String,
    /// Whether the thread is running. The counts of an ended thread are kept until [`reset`](fn.reset.html).
    ///
    /// The GPU is listed once a [GPU zone](macro.gpu_zone.html) has been measured, and is always running.
    pub running: bool,
}

/// Returns the name of a thread's group: the thread's name without the trailing number, which distinguishes the workers
/// of a pool, and without the characters around the number. A name that is only a number is its own group name.
pub fn group_name(name: &str) -> &str {
    let inner = name.strip_suffix([')', ']']).unwrap_or(name);
    let stem = inner.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == inner.len() {
        return name;
    }
    let stem = stem.trim_end_matches(|c: char| c.is_whitespace() || "-_#:.([".contains(c));
    if stem.is_empty() { name } else { stem }
}

/// Compares names as people sort them: `worker 2` comes before `worker 10`.
pub(crate) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let digits =
            |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let order = match (digits(a), digits(b)) {
            (0, _) | (_, 0) => {
                let (mut chars_a, mut chars_b) = (a.chars(), b.chars());
                let (first_a, first_b) = (chars_a.next(), chars_b.next());
                (a, b) = (chars_a.as_str(), chars_b.as_str());
                if first_a.is_none() && first_b.is_none() {
                    return Ordering::Equal;
                }
                first_a.cmp(&first_b)
            }
            (of_a, of_b) => {
                let ((number_a, rest_a), (number_b, rest_b)) = (a.split_at(of_a), b.split_at(of_b));
                (a, b) = (rest_a, rest_b);
                let [value_a, value_b] = [number_a, number_b].map(|n| n.trim_start_matches('0'));
                // Numbers may be too long for any integer type.
                let by_value = value_a.len().cmp(&value_b.len()).then(value_a.cmp(value_b));
                by_value.then(of_a.cmp(&of_b))
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_by_number() {
        let mut names = [
            "w10",
            "w2",
            "",
            "w2 b",
            "w02",
            "x",
            "w",
            "w2 a",
            "W1",
            "w99999999999999999999999",
        ];
        names.sort_by(|a, b| natural_order(a, b));
        let wanted = [
            "",
            "W1",
            "w",
            "w2",
            "w2 a",
            "w2 b",
            "w02",
            "w10",
            "w99999999999999999999999",
            "x",
        ];
        assert_eq!(names, wanted);
    }

    #[test]
    fn numbered_threads_share_a_group_name() {
        for (name, group) in [
            ("worker", "worker"),
            ("worker 0", "worker"),
            ("rapier-worker-12", "rapier-worker"),
            ("Compute Task Pool (3)", "Compute Task Pool"),
            ("io[7]", "io"),
            ("loader#2", "loader"),
            ("thread10", "thread"),
            ("2", "2"),
            ("(2)", "(2)"),
            ("", ""),
            ("audio (left)", "audio (left)"),
            ("2nd", "2nd"),
            ("größe 4", "größe"),
        ] {
            assert_eq!(group_name(name), group, "{name}");
        }
    }
}
