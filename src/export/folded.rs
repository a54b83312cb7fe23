//! Folded stacks: a line per full stack, what flame graphs are drawn from.
//! (<https://github.com/brendangregg/FlameGraph>, `flamegraph.pl`; inferno reads the same.)

use super::cut::{Cut, LEFT_OUT};
use super::name::one_line;
use super::walk::{Step, walk};
use crate::snapshot::{Snapshot, SnapshotNode, SnapshotThread};
use std::io::{self, Write};

/// Bytes of names in a file, about; beyond it stacks are cut.
const MAX_BYTES: u64 = 128 << 20;

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
    /// A line has the whole stack, so what is written grows with nodes times their depth, as far as
    /// 128 MiB go. Where that would be more, all stacks of more than so many levels, 64 at least, are
    /// cut: their outermost levels are there, then `(levels left out)`, then the innermost. The
    /// memory that this takes grows with nodes alone.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_folded(&self, mut out: impl Write) -> io::Result<()> {
        let whole = self.in_nanoseconds();
        let names: Vec<String> = whole.zones.iter().map(|zone| frame(&zone.name)).collect();
        let size = |zone: u32| names[zone as usize].len() as u64 + 1;
        let cut = Cut::of(&whole, MAX_BYTES, is_written, size);
        for thread in &whole.threads {
            write_thread(thread, &names, cut, &mut out)?;
        }
        out.flush()
    }
}

fn is_written(node: &SnapshotNode) -> bool {
    node.ticks > 0
}

fn write_thread(
    thread: &SnapshotThread,
    names: &[String],
    cut: Cut,
    out: &mut impl Write,
) -> io::Result<()> {
    // The names of the stack's levels as far as they are written, and where those of each begin.
    let (mut line, mut begins) = (frame(&thread.name), Vec::new());
    let mut result = Ok(());
    walk(thread, |step| match step {
        Step::Enter(at) => {
            let node = &thread.nodes[at];
            let outermost = cut.outermost(begins.len());
            begins.push(line.len());
            let name = &names[node.zone as usize];
            if outermost.is_none() && at != SnapshotThread::ROOT {
                line.push(';');
                line.push_str(name);
            }
            if is_written(node) && result.is_ok() {
                let ticks = node.ticks;
                result = match outermost {
                    None => writeln!(out, "{line} {ticks}"),
                    Some(count) => {
                        writeln!(out, "{};{LEFT_OUT};{name} {ticks}", &line[..begins[count]])
                    }
                };
            }
        }
        Step::Leave(_) => line.truncate(begins.pop().unwrap_or(0)),
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
    fn stacks_that_are_cut_keep_their_ends_and_all_of_their_time() {
        let mut snapshot = Snapshot::default();
        let zones: Vec<u32> = (0..100)
            .map(|at| snapshot.zone(SnapshotZone::new(&format!("z{at}"), "", 0)))
            .collect();
        let mut thread = SnapshotThread::new("main");
        let mut node = 0;
        for zone in &zones {
            node = thread.child(node, *zone);
            thread.nodes[node].ticks = 1;
        }
        let side = thread.child(0, zones[99]);
        thread.nodes[side].ticks = 7;
        snapshot.threads.push(thread);
        let names: Vec<String> = snapshot
            .zones
            .iter()
            .map(|zone| frame(&zone.name))
            .collect();
        let cut = Cut::of(&snapshot, 0, is_written, |_| 1);
        let mut out = Vec::new();
        write_thread(&snapshot.threads[0], &names, cut, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 101);
        // The root is one of 64 levels.
        let whole = |end: usize| (0..end).map(|at| format!(";z{at}")).collect::<String>();
        assert_eq!(lines[62], format!("main{} 1", whole(63)));
        assert_eq!(lines[63], format!("main{};{LEFT_OUT};z63 1", whole(61)));
        assert_eq!(lines[99], format!("main{};{LEFT_OUT};z99 1", whole(61)));
        assert_eq!(lines[100], "main;z99 7");
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
