//! The part of docs/guide/choosing-an-allocator.md that is written by the command: the text between
//! its markers.

use std::fs;
use std::path::Path;

use crate::outcome::{Failure, Outcome};

/// The path of the page.
pub(super) const PATH: &str = "docs/guide/choosing-an-allocator.md";

/// The end of a part.
const END: &str = "<!-- to here -->";

/// Returns the marker before a part.
fn begin(part: &str) -> String {
    format!("<!-- written by cargo xtask advised from here: {part} -->")
}

/// Writes the parts that the page has a place for; others are passed over.
///
/// # Errors
///
/// [`Failure::Unable`] if the page cannot be read or written, or a part does not end.
pub(super) fn write(root: &Path, parts: &[(String, String)]) -> Outcome {
    let path = root.join(PATH);
    let fail = |error| Failure::io(&format!("cannot read or write {PATH}"), &error);
    let mut page = fs::read_to_string(&path).map_err(fail)?;
    for (part, text) in parts {
        page = filled(&page, part, text)?;
    }
    fs::write(&path, page).map_err(fail)
}

/// Returns the page with a part rewritten.
fn filled(page: &str, part: &str, text: &str) -> Result<String, Failure> {
    let begin = begin(part);
    let Some((before, after)) = page.split_once(&begin) else {
        return Ok(page.to_owned());
    };
    let Some((_, after)) = after.split_once(END) else {
        return Err(Failure::Unable(format!(
            "{PATH}: `{begin}` has no `{END}` after it; put one where the part ends"
        )));
    };
    Ok(format!("{before}{begin}\n\n{}\n\n{END}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_replaced_and_the_rest_stays() {
        let page = format!("one\n\n{}\nold\n{END}\n\ntwo\n", begin("table"));
        let once = filled(&page, "table", "new\n").expect("the part ends");
        assert_eq!(once, format!("one\n\n{}\n\nnew\n\n{END}\n\ntwo\n", begin("table")));
        assert_eq!(filled(&once, "table", "new").ok(), Some(once.clone()), "again the same");
        assert_eq!(filled(&once, "other", "x").ok(), Some(once), "no place for it");
        assert!(filled(&begin("table"), "table", "x").is_err(), "it does not end");
    }

    #[test]
    fn the_page_has_places_for_the_table_and_two_bundled_recordings() {
        let page = include_str!("../../../docs/guide/choosing-an-allocator.md");
        for part in ["table", "lua", "ffmpeg"] {
            assert_eq!(page.matches(&begin(part)).count(), 1, "{part}");
        }
        assert_eq!(page.matches(END).count(), page.matches("from here: ").count(), "each ends");
    }
}
