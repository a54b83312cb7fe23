//! The text report, read as a person reads it.

/// A report: a title, and rows below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub title: String,
    pub warnings: Vec<String>,
    pub rows: Vec<Row>,
    /// What the demo says below a thread's rows that they sum to, in ms.
    pub sum: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub cursor: bool,
    /// `+`, `-` or a space.
    pub prefix: char,
    pub name: String,
    pub self_ms: f64,
    pub hier_ms: f64,
    pub count: f64,
}

/// The reports of a file that the demo wrote, the default view's first.
///
/// # Panics
///
/// If there is a line that is part of no report.
pub fn read(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        if line.contains(" ms/frame ") {
            sections.push(Section {
                title: line.to_owned(),
                warnings: Vec::new(),
                rows: Vec::new(),
                sum: None,
            });
            continue;
        }
        if line.is_empty() || line.starts_with("  zone ") {
            continue;
        }
        let section = sections
            .last_mut()
            .unwrap_or_else(|| panic!("a line before any title: {line}"));
        if let Some(warning) = line.strip_prefix("! ") {
            section.warnings.push(warning.to_owned());
        } else if let Some(sum) = line.strip_prefix("  the self times sum to ") {
            let ms = sum.strip_suffix(" ms").and_then(|sum| sum.parse().ok());
            section.sum = Some(ms.unwrap_or_else(|| panic!("no sum: {line}")));
        } else {
            section.rows.push(row(line));
        }
    }
    sections
}

fn row(line: &str) -> Row {
    let mut numbers = line[1..].split_whitespace().rev();
    let mut number = || -> f64 {
        let word = numbers.next().unwrap_or_default();
        word.parse()
            .unwrap_or_else(|_| panic!("no number `{word}`: {line}"))
    };
    let (count, hier_ms, self_ms) = (number(), number(), number());
    let mut name = &line[1..];
    for _ in 0..3 {
        name = name.trim_end();
        name = &name[..name.rfind(' ').unwrap_or(0)];
    }
    let name = name.trim();
    let prefix = name.chars().next().filter(|c| matches!(c, '+' | '-'));
    Row {
        cursor: line.starts_with('>'),
        prefix: prefix.unwrap_or(' '),
        name: name.trim_start_matches(['+', '-']).to_owned(),
        self_ms,
        hier_ms,
        count,
    }
}

impl Row {
    /// The name without the depth of recursion.
    pub fn zone(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

impl Section {
    /// The frame's time in the title.
    pub fn frame_ms(&self) -> f64 {
        let word = self.title.split(' ').next().unwrap_or_default();
        word.parse()
            .unwrap_or_else(|_| panic!("no time: {}", self.title))
    }

    /// The position of the row that the cursor is on.
    pub fn cursor(&self) -> usize {
        let at = |row: &Row| row.cursor;
        assert_eq!(
            self.rows.iter().filter(|row| at(row)).count(),
            1,
            "{self:?}"
        );
        self.rows.iter().position(at).unwrap_or_default()
    }

    /// The first row of the zone, if it has one.
    pub fn find(&self, zone: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.zone() == zone)
    }

    /// The call graph: callers, the zone, callees.
    pub fn call_graph(&self) -> (&[Row], &Row, &[Row]) {
        let mut open = (0..self.rows.len()).filter(|at| self.rows[*at].prefix == '-');
        let (Some(at), None) = (open.next(), open.next()) else {
            panic!("not exactly one zone is open: {self:?}");
        };
        (&self.rows[..at], &self.rows[at], &self.rows[at + 1..])
    }
}
