//! The text dump's list of zones by self time: work first, then what is idle.

use super::snapshot_totals::SnapshotTotals;
use super::text_table::{CALLS, PERCENT, all_of, error, idle, per_call, percent, value, write_row};
use super::time_unit::Units;
use super::tree::ascii;
use iprof_process::short_places::FileAndLine;
use iprof_process::{IDLE_OUTSIDE, Snapshot, SnapshotThread};
use std::io::{self, Write};

/// Number of zones listed by self time; one row sums the others.
const TOP_ZONES: usize = 50;

/// A row of the list of zones: a zone, a part of the time outside zones, or the sum of several rows.
struct ZoneRow {
    name: String,
    own: u64,
    /// The standard error of the self time; 0 if it was not sampled.
    error: f64,
    /// `None` for several zones, whose hierarchical times have no meaningful sum.
    hier: Option<(u64, bool)>,
    entries: u64,
    is_idle: bool,
}

impl ZoneRow {
    fn of(whole: &Snapshot, totals: &SnapshotTotals, zone: u32) -> ZoneRow {
        let (of, totals) = (&whole.zones[zone as usize], &totals.zones[zone as usize]);
        let place = match &*of.file {
            "" => String::new(),
            file => format!("  {}", FileAndLine(&ascii(file), of.line)),
        };
        ZoneRow {
            name: ascii(&of.name) + &place,
            own: totals.sums.self_ticks,
            error: totals.error,
            hier: Some((totals.sums.hier_ticks, totals.is_hier_sampled)),
            entries: totals.sums.entries,
            is_idle: of.is_idle,
        }
    }

    /// Time outside zones of the threads where it is idle, or of the others; nothing calls in it.
    fn outside<'a>(
        whole: &Snapshot,
        threads: impl Iterator<Item = &'a SnapshotThread>,
        is_idle: bool,
    ) -> ZoneRow {
        let roots = threads
            .filter(|thread| thread.is_idle_outside_zones == is_idle)
            .filter_map(|thread| thread.nodes.first());
        let (own, variance) = roots.fold((0, 0.0), |(own, variance), root| {
            (own + root.ticks, variance + root.error * root.error)
        });
        ZoneRow {
            name: match (is_idle, whole.zones.first()) {
                (true, _) => IDLE_OUTSIDE.to_owned(),
                // There are no zones where there are no threads.
                (false, zone) => zone.map_or(String::new(), |zone| ascii(&zone.name)),
            },
            own,
            error: variance.sqrt(),
            hier: Some((own, variance > 0.0)),
            entries: 0,
            // Its name says so.
            is_idle: false,
        }
    }

    fn is_sampled(&self) -> bool {
        self.error > 0.0
    }

    /// Whether it took no time, as a zone that is only counted.
    fn is_counted(&self) -> bool {
        let (hier, is_sampled) = self.hier.unwrap_or((self.own, self.is_sampled()));
        hier == 0 && !is_sampled
    }

    fn others(rows: &[ZoneRow]) -> ZoneRow {
        ZoneRow {
            name: format!("others ({})", rows.len()),
            own: rows.iter().map(|row| row.own).sum(),
            error: rows.iter().map(|row| row.error.powi(2)).sum::<f64>().sqrt(),
            hier: None,
            entries: rows.iter().map(|row| row.entries).sum(),
            is_idle: rows.iter().any(|row| row.is_idle),
        }
    }
}

/// Lists the zones of some threads by self time: work first, then what is idle.
pub(super) fn write_zones<'a>(
    whole: &Snapshot,
    title: &str,
    threads: impl Iterator<Item = &'a SnapshotThread> + Clone,
    units: Units,
    has_errors: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let totals = SnapshotTotals::of(whole, threads.clone());
    let rows = |is_idle: bool| -> Vec<ZoneRow> {
        let is_listed = |zone: &u32| *zone > 0 && whole.zones[*zone as usize].is_idle == is_idle;
        let zones = totals.by_self_time().into_iter().filter(is_listed);
        let mut rows: Vec<ZoneRow> = zones
            .map(|zone| ZoneRow::of(whole, &totals, zone))
            .collect();
        let outside = ZoneRow::outside(whole, threads.clone(), is_idle);
        if outside.own > 0 {
            rows.insert(rows.partition_point(|row| row.own >= outside.own), outside);
        }
        if let Some(others) = rows.get(TOP_ZONES..).filter(|others| !others.is_empty()) {
            let others = ZoneRow::others(others);
            rows.truncate(TOP_ZONES);
            rows.push(others);
        }
        rows
    };
    let [work, waiting] = [false, true].map(rows);
    if work.is_empty() && waiting.is_empty() {
        return Ok(());
    }
    let all = work.iter().chain(&waiting);
    let averages = all.clone().filter(|row| row.entries > 0);
    let average = units.averages(averages.map(|row| row.own as f64 / row.entries as f64));
    let time = units.time;
    let error_width = if has_errors { time.width } else { 0 };
    let widths = [
        CALLS,
        time.width,
        error_width,
        average.width,
        PERCENT,
        time.width,
    ];
    let most = all_of(time, totals.ticks);
    writeln!(out, "\n{title}, zones by self time, {most}")?;
    let heads = [
        "calls".to_owned(),
        format!("self {}", time.name()),
        format!("+- {}", time.name()),
        format!("self/call {}", average.name()),
        "%".to_owned(),
        format!("time {}", time.name()),
    ];
    write_row(&widths, &heads, "zone", out)?;
    for row in all {
        let mut cells = [const { String::new() }; 6];
        cells[0] = row.entries.to_string();
        if !row.is_counted() {
            cells[1] = value(time, row.own as f64, row.is_sampled());
            cells[2] = error(time, row.error);
            cells[3] = per_call(average, row.own, row.entries, row.is_sampled());
            cells[4] = percent(row.own, totals.ticks);
            if let Some((hier, is_sampled)) = row.hier {
                cells[5] = value(time, hier as f64, is_sampled);
            }
        }
        let name = format!("{}{}", row.name, idle(row.is_idle));
        write_row(&widths, &cells, &name, out)?;
    }
    Ok(())
}
