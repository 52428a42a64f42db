//! A [`Sheet`] as a page: its tables are in the page itself, so it needs no script but the one
//! that changes light to dark.

use core::fmt::Write as _;

use super::design;
use super::page::{self, code_marks, escape};
use crate::sheet::{Section, Sheet};

const TEMPLATE: &str = include_str!("sheet.html");

const SCRIPTS: [&str; 2] = [design::DOM, design::THEME];

/// Words in tables are set left, and the line that the reader looks for is marked.
const STYLE: &str = "
td.words, th.words { text-align: left; white-space: normal; min-width: 7rem; }
tr.marked > * { background: var(--accent-wash); font-weight: 600; }
";

/// A section of a page with anything in it: pictures, tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    /// Its heading, a text.
    pub heading: String,
    /// What it shows and how to read it, a text.
    pub note: String,
    /// Markup, in which each text was [escaped](super::escape).
    pub body: String,
}

/// Returns the whole page. `command` is the word in the mark.
pub(super) fn render(command: &str, sheet: &Sheet) -> String {
    let figures: Vec<Figure> = sheet.sections.iter().map(figure).collect();
    render_figures(command, (&sheet.title, &sheet.lede), &sheet.findings, &figures, STYLE)
}

/// Returns a page of figures: title and lede are texts, `style` is added to the style sheets.
pub(super) fn render_figures(
    command: &str,
    (title, lede): (&str, &str),
    named: &[(String, String)],
    figures: &[Figure],
    style: &str,
) -> String {
    let style = page::STYLES.concat() + style;
    let mut jump = String::new();
    let mut sections = String::new();
    for (index, figure) in figures.iter().enumerate() {
        let (heading, note) = (escape(&figure.heading), code_marks(&escape(&figure.note)));
        // Writing to a string cannot fail.
        let _ = write!(jump, "<a href=\"#section-{index}\">{heading}</a>");
        let _ = write!(
            sections,
            "  <section class=\"block\" id=\"section-{index}\">\n    <header><h2>{heading}</h2>\
             <p class=\"facts\">{note}</p></header>\n    <div class=\"card\">{}</div>\n  </section>\n",
            figure.body
        );
    }
    let mut findings = String::new();
    for (name, sentence) in named {
        let (name, sentence) = (escape(name), code_marks(&escape(sentence)));
        let _ = writeln!(findings, "      <li><h2>{name}</h2><p>{sentence}</p></li>");
    }
    page::fill(
        TEMPLATE,
        &[
            ("style", &style),
            ("script", &SCRIPTS.concat()),
            ("command", &escape(command)),
            ("title", &escape(title)),
            ("lede", &code_marks(&escape(lede))),
            ("jump", &jump),
            ("findings", &findings),
            ("sections", &sections),
        ],
    )
}

fn figure(section: &Section) -> Figure {
    let cell = |tag: &str, scope: &str, column: usize, text: &str| {
        let class = if section.is_numeric(column) { "" } else { " class=\"words\"" };
        format!("<{tag}{scope}{class}>{}</{tag}>", escape(text))
    };
    let mut table = String::from("<thead><tr>");
    for (column, text) in section.head.iter().enumerate() {
        table.push_str(&cell("th", " scope=\"col\"", column, text));
    }
    table.push_str("</tr></thead>\n<tbody>\n");
    for line in &section.lines {
        table.push_str(if line.is_marked { "<tr class=\"marked\">" } else { "<tr>" });
        for (column, text) in line.cells.iter().enumerate() {
            let is_name = column == 0;
            let (tag, scope) = if is_name { ("th", " scope=\"row\"") } else { ("td", "") };
            table.push_str(&cell(tag, scope, column, text));
        }
        table.push_str("</tr>\n");
    }
    let body = format!("<div class=\"scroll\"><table>\n{table}</tbody></table></div>");
    Figure { heading: section.heading.clone(), note: section.note.clone(), body }
}

#[cfg(test)]
mod tests;
