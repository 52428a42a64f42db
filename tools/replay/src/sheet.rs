//! A few tables with their explanations: what a comparison found, for a terminal and for a page.

use core::fmt;

/// Tables under a title. `Display` writes it as text; [`ReportDir::write_sheet`] as a page.
///
/// [`ReportDir::write_sheet`]: crate::report::ReportDir::write_sheet
///
/// # Examples
///
/// ```
/// use loligo_replay::sheet::{Line, Section, Sheet};
///
/// let mut section = Section::new("Time", "Lower is better.", ["row", "ns"]);
/// section.lines.push(Line::new(["heap", "5.25"]));
/// let sheet = Sheet {
///     title: "One table".into(),
///     lede: String::new(),
///     findings: Vec::new(),
///     sections: vec![section],
/// };
/// assert!(sheet.to_string().ends_with("  row     ns\n  heap  5.25\n"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// What it is about, in a few words.
    pub title: String,
    /// How it was measured, in a sentence or two.
    pub lede: String,
    /// What a reader should know first: a name and a sentence each.
    pub findings: Vec<(String, String)>,
    /// The tables.
    pub sections: Vec<Section>,
}

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// What the figures are and how to read them.
    pub note: String,
    /// The headings of the columns.
    pub head: Vec<String>,
    /// The lines.
    pub lines: Vec<Line>,
}

impl Section {
    /// Returns a table without lines.
    pub fn new<S: Into<String>>(
        heading: impl Into<String>,
        note: impl Into<String>,
        head: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            heading: heading.into(),
            note: note.into(),
            head: head.into_iter().map(Into::into).collect(),
            lines: Vec::new(),
        }
    }

    /// Returns `true` if a column holds numbers, which are set right: each of its cells begins
    /// with a digit, or is `-` for none.
    #[must_use]
    pub fn is_numeric(&self, column: usize) -> bool {
        let cells = self.lines.iter().filter_map(|line| line.cells.get(column));
        let is_number = |cell: &String| cell.starts_with(|letter: char| letter.is_ascii_digit());
        column > 0
            && cells.clone().any(is_number)
            && cells.clone().all(|cell| cell == "-" || cell.is_empty() || is_number(cell))
    }
}

/// A line of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The cells; the first is the line's name.
    pub cells: Vec<String>,
    /// Whether it is the line that the reader looks for.
    pub is_marked: bool,
}

impl Line {
    /// Returns a line of these cells.
    pub fn new<S: Into<String>>(cells: impl IntoIterator<Item = S>) -> Self {
        Self { cells: cells.into_iter().map(Into::into).collect(), is_marked: false }
    }

    /// Marks the line, if it is to be.
    #[must_use]
    pub fn marked(self, is_marked: bool) -> Self {
        Self { is_marked, ..self }
    }
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        if !self.lede.is_empty() {
            writeln!(f, "{}", self.lede)?;
        }
        for section in &self.sections {
            writeln!(f, "\n{section}")?;
        }
        if !self.findings.is_empty() {
            writeln!(f)?;
        }
        for (name, sentence) in &self.findings {
            writeln!(f, "{name}: {sentence}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Section {
    /// Writes the heading, the note and the table, without a line end after its last line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.heading)?;
        if !self.note.is_empty() {
            write!(f, ": {}", self.note)?;
        }
        let head = core::iter::once(&self.head);
        let lines: Vec<&Vec<String>> =
            head.chain(self.lines.iter().map(|line| &line.cells)).collect();
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|cells| cells.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        for cells in &lines {
            let mut text = String::new();
            for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
                let (before, after) =
                    if self.is_numeric(column) { (&*padding, "") } else { ("", &*padding) };
                text.push_str("  ");
                text.push_str(before);
                text.push_str(cell);
                text.push_str(after);
            }
            write!(f, "\n{}", text.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
