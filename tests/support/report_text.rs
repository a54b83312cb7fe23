//! Parses the text report.

/// A report, which consists of a title and rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub title: String,
    /// The second line, which shows the timing mode and the profiler's overhead.
    pub timing: String,
    /// The title's further lines, which describe the comparison and the filter.
    pub more: Vec<String>,
    pub warnings: Vec<String>,
    /// The numeric columns' headers, with all time units replaced by `ms`.
    pub columns: Vec<String>,
    /// Each column's unit in milliseconds.
    pub units: Vec<f64>,
    /// The sorted column's header, if any, and whether the order is ascending.
    pub sorted: Option<(String, bool)>,
    pub rows: Vec<TextRow>,
    /// The sum of a thread's rows in ms, which the demo prints below the rows.
    pub sum: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TextRow {
    pub cursor: bool,
    /// The expansion mark: `+`, `-` or a space.
    pub expansion: char,
    /// The indent in steps of two characters.
    pub indent: usize,
    pub name: String,
    pub self_ms: f64,
    pub hier_ms: f64,
    pub count: f64,
    /// `net_ms`, `gpu_ms` and `error_ms` are `None` if the report doesn't have the column.
    pub net_ms: Option<f64>,
    pub gpu_ms: Option<f64>,
    pub error_ms: Option<f64>,
    pub sampled: bool,
}

/// The marks before the sorted column's header, for descending and ascending order.
const MARKS: [char; 2] = ['\u{25bc}', '\u{25b2}'];

/// Parses the reports in a file written by the demo. The first report is the default view's.
///
/// # Panics
///
/// Panics if a line does not belong to a report.
pub fn read(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.contains(" ms/frame ") {
            sections.push(Section {
                title: line.to_owned(),
                timing: lines.next().unwrap_or_default().to_owned(),
                more: Vec::new(),
                warnings: Vec::new(),
                columns: Vec::new(),
                units: Vec::new(),
                sorted: None,
                rows: Vec::new(),
                sum: None,
            });
            continue;
        }
        if line.is_empty() {
            continue;
        }
        let section = sections
            .last_mut()
            .unwrap_or_else(|| panic!("line before the first title: {line}"));
        let is_heads = |line: &&str| line.trim_start_matches(MARKS).starts_with("zone ");
        if let Some(heads) = line.strip_prefix("  ").filter(is_heads) {
            // Headers are separated by two spaces, or by one space and a mark. A header may contain single spaces.
            let heads = MARKS.iter().fold(heads.to_owned(), |heads, mark| {
                heads.replace(*mark, &format!("  {mark}"))
            });
            let heads = heads.split("  ").map(str::trim);
            for head in heads.filter(|head| !head.is_empty()) {
                let title = head.trim_start_matches(MARKS);
                let marked = (title != head).then(|| head.starts_with(MARKS[1]));
                let (title, ms) = in_ms(title);
                if let Some(ascending) = marked {
                    section.sorted = Some((title.clone(), ascending));
                }
                if title != "zone" {
                    section.columns.push(title);
                    section.units.push(ms);
                }
            }
        } else if let Some(warning) = line.strip_prefix("! ") {
            section.warnings.push(warning.to_owned());
        } else if section.columns.is_empty() {
            section.more.push(line.to_owned());
        } else if let Some(sum) = line.strip_prefix("  the self times sum to ") {
            let ms = sum.strip_suffix(" ms").and_then(|sum| sum.parse().ok());
            section.sum = Some(ms.unwrap_or_else(|| panic!("no sum in line: {line}")));
        } else {
            let row = row(line, &section.columns, &section.units);
            section.rows.push(row);
        }
    }
    sections
}

/// Returns a column's header with its unit replaced by `ms`, and the original unit in milliseconds.
fn in_ms(head: &str) -> (String, f64) {
    let units = [(" ns", 1e-6), (" \u{b5}s", 1e-3), (" ms", 1.0), (" s", 1e3)];
    let mut units = units.into_iter();
    units
        .find_map(|(unit, ms)| Some((format!("{} ms", head.strip_suffix(unit)?), ms)))
        .unwrap_or_else(|| (head.to_owned(), 1.0))
}

fn row(line: &str, columns: &[String], units: &[f64]) -> TextRow {
    // The last column is empty if nothing was sampled. A name may end in parentheses, but not in a number.
    let number = |word: &str| word.trim_start_matches('~').parse::<f64>().ok();
    let words: Vec<&str> = line[1..].split_whitespace().collect();
    let count = words
        .iter()
        .rev()
        .take(columns.len())
        .take_while(|word| number(word).is_some())
        .count();
    let cells = &words[words.len() - count..];
    let cell = |title: &str| {
        let at = columns.iter().position(|column| column == title)?;
        cells.get(at).copied()
    };
    let value = |title: &str| {
        let at = columns.iter().position(|column| column == title)?;
        cell(title)
            .and_then(number)
            .map(|number| number * units[at])
    };
    let needed = |title: &str| value(title).unwrap_or_else(|| panic!("no column {title}: {line}"));
    let mut name = line[1..].trim_end();
    for _ in cells {
        name = name[..name.rfind(' ').unwrap_or(0)].trim_end();
    }
    let spaces = name.len() - name.trim_start().len();
    let name = name.trim();
    let expansion = name.chars().next().filter(|c| matches!(c, '+' | '-'));
    TextRow {
        cursor: line.starts_with('>'),
        expansion: expansion.unwrap_or(' '),
        // A row that cannot be expanded has a space in place of the mark.
        indent: (spaces - usize::from(expansion.is_none())) / 2,
        name: name.trim_start_matches(['+', '-']).to_owned(),
        self_ms: needed("self ms"),
        hier_ms: needed("hier ms"),
        count: needed("count"),
        net_ms: value("net ms"),
        gpu_ms: value("gpu self ms").or_else(|| value("gpu hier ms")),
        error_ms: value("\u{b1} ms"),
        sampled: cell("self ms").is_some_and(|cell| cell.starts_with('~')),
    }
}

impl TextRow {
    /// Returns the name without the recursion depth.
    pub fn zone(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

impl Section {
    pub fn frame_ms(&self) -> f64 {
        let word = self.title.split(' ').next().unwrap_or_default();
        word.parse()
            .unwrap_or_else(|_| panic!("no time in the title: {}", self.title))
    }

    pub fn cursor(&self) -> usize {
        let at = |row: &TextRow| row.cursor;
        assert_eq!(
            self.rows.iter().filter(|row| at(row)).count(),
            1,
            "{self:?}"
        );
        self.rows.iter().position(at).unwrap_or_default()
    }

    pub fn find(&self, zone: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.zone() == zone)
    }

    /// Returns a call graph's callers, zone and callees.
    pub fn call_graph(&self) -> (&[TextRow], &TextRow, &[TextRow]) {
        let mut open = (0..self.rows.len()).filter(|at| self.rows[*at].expansion == '-');
        let (Some(at), None) = (open.next(), open.next()) else {
            panic!("expected exactly one open zone: {self:?}");
        };
        (&self.rows[..at], &self.rows[at], &self.rows[at + 1..])
    }
}
