//! Tests of the page of a sheet.

use super::*;
use crate::sheet::Line;

fn sheet(name: &str) -> Sheet {
    let mut section = Section::new("Time", "of `heap`", ["row", "ns", "note"]);
    section.lines.push(Line::new([name, "5.25", "quick"]).marked(true));
    Sheet {
        title: "Rows".into(),
        lede: "Measured.".into(),
        findings: vec![(name.into(), "all `passed`".into())],
        sections: vec![section],
    }
}

#[test]
fn a_page_has_its_tables_without_a_script() {
    let page = render("bench", &sheet("mine"));
    for part in [
        "<title>Loligo bench: Rows</title>",
        "<a href=\"#section-0\">Time</a>",
        "<th scope=\"col\">ns</th><th scope=\"col\" class=\"words\">note</th>",
        "<tr class=\"marked\"><th scope=\"row\" class=\"words\">mine</th><td>5.25</td>\
         <td class=\"words\">quick</td></tr>",
        "<li><h2>mine</h2><p>all <code>passed</code></p></li>",
    ] {
        assert!(page.contains(part), "the page lacks {part}");
    }
    assert!(!page.contains("{{"), "every place is filled");
}

#[test]
fn no_name_is_read_as_markup() {
    let page = render("<i>", &sheet("<script>alert(1)</script>{{style}}"));
    assert!(!page.contains("<script>alert"), "the name is escaped");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;{{style}}"), "and kept as text");
    assert!(page.contains("<title>Loligo &lt;i&gt;: Rows</title>"), "so is the command");
}
