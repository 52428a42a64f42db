//! Puts the page together: template, style sheets, scripts and data in one text.

use core::fmt::Write as _;

use crate::report::data::PageData;
use crate::report::design;

const TEMPLATE: &str = include_str!("page.html");

/// The style sheets in the order in which they apply.
pub(super) const STYLES: [&str; 5] = [
    design::TOKENS,
    design::FRAME,
    include_str!("style/tables.css"),
    include_str!("style/charts.css"),
    include_str!("style/film.css"),
];

/// The scripts, each after those that it uses.
const SCRIPTS: [&str; 14] = [
    design::DOM,
    design::UNITS,
    design::THEME,
    include_str!("script/kinds.js"),
    include_str!("script/line_chart.js"),
    include_str!("script/table.js"),
    include_str!("script/histogram.js"),
    include_str!("script/memory_map.js"),
    include_str!("script/overview.js"),
    include_str!("script/trace_section.js"),
    include_str!("script/film_steps.js"),
    include_str!("script/film_tree.js"),
    include_str!("script/film_player.js"),
    include_str!("script/main.js"),
];

/// What is on the page before any script runs.
pub(super) struct Opening {
    /// The sentence under the title.
    pub(super) lede: String,
    /// The name of each trace and its verdict.
    pub(super) verdicts: Vec<(String, String)>,
}

/// Returns the whole page.
///
/// # Errors
///
/// What `serde_json` finds wrong with the data; numbers that JSON cannot hold become `null`.
pub(super) fn render(opening: &Opening, data: &PageData<'_>) -> serde_json::Result<String> {
    let data = embed(&serde_json::to_string(data)?);
    let style = STYLES.concat();
    let script = SCRIPTS.concat();
    let verdicts = verdict_list(&opening.verdicts);
    let lede = escape(&opening.lede);
    Ok(fill(
        TEMPLATE,
        &[
            ("style", &style),
            ("script", &script),
            ("data", &data),
            ("verdicts", &verdicts),
            ("lede", &lede),
        ],
    ))
}

/// Puts each text into its place of a template; a place that has none stays empty.
pub(super) fn fill(template: &str, texts: &[(&str, &str)]) -> String {
    let bytes = texts.iter().map(|(_, text)| text.len()).sum::<usize>();
    let mut page = String::with_capacity(template.len() + bytes);
    // One pass from the left: what is put in is never looked at again, so a name that looks like a
    // place of the template stays a name.
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (place, after) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(before);
        page.push_str(texts.iter().find(|(name, _)| *name == place).map_or("", |(_, text)| text));
        rest = after;
    }
    page.push_str(rest);
    page
}

fn verdict_list(verdicts: &[(String, String)]) -> String {
    let mut list = String::new();
    for (index, (name, sentence)) in verdicts.iter().enumerate() {
        let (name, sentence) = (escape(name), code_marks(&escape(sentence)));
        let number = index + 1;
        // Writing to a string cannot fail.
        let _ = writeln!(
            list,
            "      <li><h2><a href=\"#trace-{number}\">{name}</a></h2><p>{sentence}</p></li>"
        );
    }
    list
}

/// Returns text as HTML shows it, in elements and in quoted attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}

/// Marks the text between two backquotes as code.
pub(super) fn code_marks(text: &str) -> String {
    let mut parts = text.split('`');
    let mut marked = String::from(parts.next().unwrap_or_default());
    while let Some(code) = parts.next() {
        let _ = match parts.next() {
            Some(after) => write!(marked, "<code>{code}</code>{after}"),
            None => write!(marked, "`{code}"),
        };
    }
    marked
}

/// Makes JSON safe inside a script element: no `<` is left, so neither `</script` nor `<!--`.
pub(super) fn embed(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests;
