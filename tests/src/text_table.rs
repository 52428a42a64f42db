//! Rows as an aligned table of text, which Markdown reads as a table.

use core::fmt::Write as _;

/// Returns the rows, the first of which is the heading, as lines of aligned columns.
pub(crate) fn text_table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if index == 0 {
            for width in &widths {
                let _ = write!(text, "|{:-<1$}", "", width + 2);
            }
            text.push_str("|\n");
        }
    }
    text
}
