//! Folded stacks: a line per full stack, what flame graphs are drawn from.
//! (<https://github.com/brendangregg/FlameGraph>, `flamegraph.pl`; inferno reads the same.)

use super::name::one_line;
use super::walk::{Step, walk};
use crate::snapshot::{Snapshot, SnapshotThread};
use std::io::{self, Write};

impl Snapshot {
    /// Writes a line per stack that took any time: its thread and its zones from the outermost,
    /// separated by `;`, then a space and its self time in whole nanoseconds.
    ///
    /// The times of a thread sum to its time to the nanosecond. What is in no zone is in the line of
    /// the thread alone. Threads of one name become one in most readers, and so do zones. The
    /// format has no place for counts, nor for how sure a sampled time is, and knows no escapes: in
    /// names, `;` becomes `:`, control characters become spaces, and the space of a name that
    /// ends like `pass 2` becomes an underscore, since there a reader may see the time.
    ///
    /// A line has the whole stack, so what is written grows with nodes times their depth.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_folded(&self, mut out: impl Write) -> io::Result<()> {
        let whole = self.in_nanoseconds();
        let names: Vec<String> = whole.zones.iter().map(|zone| frame(&zone.name)).collect();
        for thread in &whole.threads {
            write_thread(thread, &names, &mut out)?;
        }
        out.flush()
    }
}

fn write_thread(thread: &SnapshotThread, names: &[String], out: &mut impl Write) -> io::Result<()> {
    // The stack's names, and where the name of each node on it ends.
    let (mut line, mut ends) = (frame(&thread.name), Vec::new());
    let mut result = Ok(());
    walk(thread, |step| match step {
        Step::Enter(at) => {
            let node = &thread.nodes[at];
            ends.push(line.len());
            if at != SnapshotThread::ROOT {
                line.push(';');
                line.push_str(&names[node.zone as usize]);
            }
            if node.ticks > 0 && result.is_ok() {
                result = writeln!(out, "{line} {}", node.ticks);
            }
        }
        Step::Leave(_) => line.truncate(ends.pop().unwrap_or(0)),
    });
    result
}

/// A name as a part of a stack.
fn frame(name: &str) -> String {
    let mut frame = one_line(name).replace(';', ":");
    // `a 5` would be read as the frame `a` and the number 5 by those who look for it from the left.
    if let Some((before, last)) = frame.rsplit_once(' ')
        && !last.is_empty()
        && last.chars().all(|c| c.is_ascii_digit() || c == '.')
    {
        frame = format!("{before}_{last}");
    }
    frame
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::SnapshotZone;
    use crate::export::samples::{any_snapshot, stacks};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_line_is_the_stack_of_its_node(snapshot in any_snapshot()) {
            let mut out = Vec::new();
            snapshot.write_folded(&mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            let name = |zone: &u32| format!(";{}", snapshot.zones[*zone as usize].name);
            let nodes = stacks(&snapshot).into_iter().filter(|(_, node)| node.ticks > 0);
            let expected = nodes.map(|(stack, node)| {
                let zones: String = stack[1..].iter().map(name).collect();
                format!("thread{zones} {}", node.ticks)
            });
            let mut expected: Vec<String> = expected.collect();
            lines.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(lines, expected);
        }
    }

    #[test]
    fn names_cannot_break_a_line_or_a_stack() {
        let mut snapshot = Snapshot {
            ns_per_tick: 0.5,
            ..Snapshot::default()
        };
        let odd = snapshot.zone(SnapshotZone::new("a;b\nc", "a.rs", 1));
        let digits = snapshot.zone(SnapshotZone::new("pass 2", "a.rs", 2));
        let mut thread = SnapshotThread::new("main");
        let node = thread.child(0, odd);
        let below = thread.child(node, digits);
        thread.nodes[0].ticks = 10;
        thread.nodes[node].ticks = 3;
        thread.nodes[below].ticks = 3;
        thread.child(below, odd);
        snapshot.threads.push(thread);
        let mut out = Vec::new();
        snapshot.write_folded(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "main 5\nmain;a:b c 2\nmain;a:b c;pass_2 1\n"
        );
    }

    #[test]
    fn what_out_says_is_passed_on() {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        thread.nodes[0].ticks = 10;
        snapshot.threads.push(thread);
        assert!(snapshot.write_folded(&mut [0u8; 3][..]).is_err());
    }
}
