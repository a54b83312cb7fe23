//! Writes a snapshot as folded stacks, the input of flame graph tools such as `flamegraph.pl` and inferno:
//! <https://github.com/brendangregg/FlameGraph>.

use super::conversions::in_nanoseconds;
use super::names::{one_line, thread_names, zone_names};
use super::truncate::{OMITTED, StackLimit};
use iprof_process::subtree::Step;
use iprof_process::{Snapshot, SnapshotNode, SnapshotThread};
use std::io::{self, Write};

/// The approximate maximum file size, as the total length of all names. Stacks are truncated if it would be exceeded.
const MAX_BYTES: u64 = 128 << 20;

pub(super) fn write(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    let names: Vec<String> = zone_names(&whole).iter().map(|name| frame(name)).collect();
    let size = |zone: u32| names[zone as usize].len() as u64 + 1;
    let stack_limit = StackLimit::of(&whole, MAX_BYTES, is_written, size);
    for (thread, name) in whole.threads.iter().zip(thread_names(&whole)) {
        write_thread(thread, &frame(&name), &names, stack_limit, &mut out)?;
    }
    out.flush()
}

fn is_written(node: &SnapshotNode) -> bool {
    node.ticks > 0
}

fn write_thread(
    thread: &SnapshotThread,
    name: &str,
    names: &[String],
    stack_limit: StackLimit,
    out: &mut impl Write,
) -> io::Result<()> {
    // The names on the current stack, as written, and the offset at which each level begins.
    let (mut line, mut begins) = (name.to_owned(), Vec::new());
    let mut enter = |at: usize, line: &mut String, begins: &mut Vec<usize>| {
        let node = &thread.nodes[at];
        let outermost = stack_limit.outermost(begins.len());
        begins.push(line.len());
        let name = &names[node.zone as usize];
        if outermost.is_none() && at != SnapshotThread::ROOT {
            line.push(';');
            line.push_str(name);
        }
        let ticks = node.ticks;
        match outermost {
            _ if !is_written(node) => Ok(()),
            None => writeln!(out, "{line} {ticks}"),
            Some(count) => writeln!(out, "{};{OMITTED};{name} {ticks}", &line[..begins[count]]),
        }
    };
    let mut result = Ok(());
    thread.walk(|step| match step {
        Step::Enter(at) if result.is_ok() => result = enter(at, &mut line, &mut begins),
        Step::Leave(_) if result.is_ok() => line.truncate(begins.pop().unwrap_or(0)),
        Step::Enter(_) | Step::Leave(_) => (),
    });
    result
}

fn frame(name: &str) -> String {
    let mut frame = one_line(name).replace(';', ":");
    // Readers that parse lines from the left would parse `a 5` as the frame `a` and the number 5.
    if let Some((before, last)) = frame.rsplit_once(' ')
        && !last.is_empty()
        && last.chars().all(|c| c.is_ascii_digit() || c == '.')
    {
        frame = format!("{before}_{last}");
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_snapshots::{any_snapshot, stacks};
    use iprof_process::SnapshotZone;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_line_is_one_nodes_stack(snapshot in any_snapshot()) {
            let mut out = Vec::new();
            write(&snapshot, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            let name = |zone: &u32| format!(";{}", snapshot.zones[*zone as usize].name);
            let nodes = snapshot.threads.iter().flat_map(|thread| {
                let stacks = stacks([thread].into_iter()).into_iter();
                stacks.map(|(stack, node)| (&thread.name, stack, node))
            });
            let nodes = nodes.filter(|(.., node)| node.ticks > 0);
            let expected = nodes.map(|(thread, stack, node)| {
                let zones: String = stack[1..].iter().map(name).collect();
                format!("{thread}{zones} {}", node.ticks)
            });
            let mut expected: Vec<String> = expected.collect();
            lines.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(lines, expected);
        }
    }

    #[test]
    fn names_cannot_break_a_line_or_a_stack() {
        let mut snapshot = Snapshot::default();
        snapshot.ns_per_tick = 0.5;
        let odd = snapshot.intern_zone(SnapshotZone::new("a;b\nc", "a.rs", 1));
        let digits = snapshot.intern_zone(SnapshotZone::new("pass 2", "a.rs", 2));
        let mut thread = SnapshotThread::new("main");
        let node = thread.child(0, odd);
        let below = thread.child(node, digits);
        thread.nodes[0].ticks = 10;
        thread.nodes[node].ticks = 3;
        thread.nodes[below].ticks = 3;
        thread.child(below, odd);
        snapshot.threads.push(thread);
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "main 5\nmain;a:b c 2\nmain;a:b c;pass_2 1\n"
        );
    }

    #[test]
    fn thread_named_gpu_is_not_merged_with_the_gpu() {
        let mut snapshot = Snapshot::default();
        for (is_gpu, ticks) in [(true, 5), (false, 3), (false, 2)] {
            let mut thread = SnapshotThread::new("GPU");
            thread.is_gpu = is_gpu;
            thread.nodes[0].ticks = ticks;
            snapshot.threads.push(thread);
        }
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "GPU 5\nGPU (thread) 3\nGPU (thread) 2\n"
        );
    }

    #[test]
    fn truncated_stacks_keep_both_ends_and_their_time() {
        let mut snapshot = Snapshot::default();
        let zones: Vec<u32> = (0..100)
            .map(|at| snapshot.intern_zone(SnapshotZone::new(&format!("z{at}"), "", 0)))
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
        let stack_limit = StackLimit::of(&snapshot, 0, is_written, |_| 1);
        let mut out = Vec::new();
        write_thread(&snapshot.threads[0], "main", &names, stack_limit, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 101);
        // The root counts as one of the 64 levels.
        let whole = |end: usize| (0..end).map(|at| format!(";z{at}")).collect::<String>();
        assert_eq!(lines[62], format!("main{} 1", whole(63)));
        assert_eq!(lines[63], format!("main{};{OMITTED};z63 1", whole(61)));
        assert_eq!(lines[99], format!("main{};{OMITTED};z99 1", whole(61)));
        assert_eq!(lines[100], "main;z99 7");
    }

    #[test]
    fn writer_errors_are_returned() {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        thread.nodes[0].ticks = 10;
        snapshot.threads.push(thread);
        assert!(write(&snapshot, &mut [0u8; 3][..]).is_err());
    }
}
