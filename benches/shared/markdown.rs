//! Generates Markdown tables from benchmark results.

use std::collections::HashMap;

/// Results, keyed by bench, case and unit joined with `|`. The unit `ratio` stands for the ratio to the baseline.
#[derive(Debug)]
pub(crate) struct Results(HashMap<String, f64>);

impl Results {
    /// Reads the table that benches write with `--tsv`. If a case has several results, only the first is used.
    ///
    /// # Panics
    ///
    /// Panics if a line doesn't belong to such a table.
    pub(crate) fn new(tsv: &str) -> Results {
        let mut results = HashMap::new();
        for line in tsv.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [bench, case, value, unit, _, ratio] = fields[..] else {
                panic!("not a result: {line}");
            };
            for (unit, number) in [(unit, value), ("ratio", ratio)] {
                let number = number.parse().expect("the result should be a number");
                let key = format!("{bench}|{case}|{unit}");
                results.entry(key).or_insert(number);
            }
        }
        Results(results)
    }
}

/// A table on the page.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) title: &'static str,
    /// The description of what rows mean.
    pub(crate) about: &'static str,
    /// The arguments of `./dev bench` for each bench, paired with the number of runs.
    pub(crate) benches: &'static [(&'static str, usize)],
    /// The header of each column, and the names of the column's results. A `*` in a name is replaced with a row's cell.
    pub(crate) columns: &'static [(&'static str, &'static str)],
    /// The label of each row, and its cells, or a single cell for all columns. An empty cell stays empty. A cell that
    /// begins with `=` contains the full name of a result.
    pub(crate) rows: &'static [(&'static str, &'static [&'static str])],
}

impl Table {
    /// Returns the table as Markdown, with its title. `machine` describes where and when it was measured.
    ///
    /// Missing results are shown as `?`, and their names are added to `missing`.
    pub(crate) fn markdown(
        &self,
        machine: &str,
        results: &Results,
        missing: &mut Vec<String>,
    ) -> String {
        let command = |(bench, runs): &(_, _)| format!("`./dev bench {bench} --runs {runs}`");
        let commands: Vec<String> = self.benches.iter().map(command).collect();
        let commands = commands.join(", ");
        let (title, about) = (self.title, self.about);
        let mut text = format!("## {title}\n\n{about}\n\n{machine}:\n{commands}\n\n");
        let headers = self.columns.iter().map(|(header, _)| *header);
        let headers: Vec<&str> = headers.collect();
        text += &format!("| | {} |\n|---|", headers.join(" | "));
        text += &"---:|".repeat(headers.len());
        for (label, cells) in self.rows {
            text += &format!("\n| {label} |");
            for (at, (_, pattern)) in self.columns.iter().enumerate() {
                let cell = if cells.len() == 1 {
                    cells[0]
                } else {
                    cells[at]
                };
                let name = match cell.strip_prefix('=') {
                    Some(name) => name.to_owned(),
                    None => pattern.replace('*', cell),
                };
                match results.0.get(&name) {
                    _ if cell.is_empty() => text += " |",
                    Some(&value) => text += &format!(" {} |", quantity(value, &name)),
                    None => {
                        text += " ? |";
                        missing.push(name);
                    }
                }
            }
        }
        text + "\n"
    }
}

/// The units, and how many of each unit make up the next larger unit.
const UNITS: [&[(&str, f64)]; 2] = [
    &[("ns", 1e3), ("us", 1e3), ("ms", 1e3), ("s", f64::INFINITY)],
    &[("bytes", 1e3), ("kB", 1e3), ("MB", f64::INFINITY)],
];

/// Formats a result's value with three digits, in a suitable unit.
fn quantity(mut value: f64, name: &str) -> String {
    let (_, unit) = name.rsplit_once('|').expect("invalid result name");
    if unit == "ratio" {
        let places = if value < 2.0 { 3 } else { 1 };
        return format!("{value:.places$} ×");
    }
    // The unit may be followed by more text, as in `ns per live node, minimum`.
    let mut unit = unit.split([' ', ',']).next().unwrap_or_default();
    for units in UNITS {
        for pair in units.windows(2) {
            if unit == pair[0].0 && value >= pair[0].1 {
                value /= pair[0].1;
                unit = pair[1].0;
            }
        }
    }
    let places = match value {
        ..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    let unit = unit.replace("us", "µs");
    format!("{value:.places$} {unit}")
}
