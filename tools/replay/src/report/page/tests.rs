//! The page as text: nothing from outside, nothing unescaped.

use super::{Opening, embed, escape, render};
use crate::report::data::PageData;

fn empty_page(lede: &str, verdicts: &[(&str, &str)]) -> String {
    let opening = Opening {
        lede: lede.to_owned(),
        verdicts: verdicts.iter().map(|(a, b)| (String::from(*a), String::from(*b))).collect(),
    };
    let data = PageData { traces: Vec::new(), films: Vec::new() };
    render(&opening, &data).expect("plain data becomes JSON")
}

#[test]
fn nothing_comes_from_outside() {
    let page = empty_page("", &[]);
    for outside in ["http:", "https:", "//cdn", "url(", "@import", "src=", "<link", "fetch("] {
        assert!(!page.contains(outside), "the page holds `{outside}`");
    }
    for reference in page.split("href=\"").skip(1) {
        assert!(reference.starts_with('#'), "a link leads to {}", &reference[..20]);
    }
}

#[test]
fn every_place_of_the_template_is_filled() {
    let page = empty_page("the lede", &[("a name", "a verdict.")]);
    assert!(!page.contains("{{"), "a place is left");
    for text in ["the lede", "a name", "a verdict.", "\"traces\":[]", "const Dom", "--paper"] {
        assert!(page.contains(text), "`{text}` is missing");
    }
}

#[test]
fn text_that_looks_like_a_place_stays_text() {
    let page = empty_page("{{data}}", &[("{{script}}", "{{style}}")]);
    for text in ["{{data}}", "{{script}}", "{{style}}"] {
        assert_eq!(page.matches(text).count(), 1, "`{text}` was looked at again");
    }
}

#[test]
fn names_and_sentences_are_escaped() {
    let page = empty_page("<i>", &[("</h2><script>alert('1')</script>", "\"&\"")]);
    assert!(!page.contains("<script>alert"), "a script came in by a name");
    assert!(page.contains("&lt;/h2&gt;&lt;script&gt;alert(&#39;1&#39;)"), "the name is shown");
    assert!(page.contains("<p>&quot;&amp;&quot;</p>"), "the sentence is shown");
    assert!(page.contains("&lt;i&gt;"), "the lede is shown");
    assert_eq!(escape("a & b"), "a &amp; b", "one by one");
}

#[test]
fn data_cannot_end_its_element() {
    let json = embed(r#""</script><!--""#);
    assert_eq!(json, r#""\u003c/script>\u003c!--""#, "no < is left");
    let back: String = serde_json::from_str(&json).expect("it is still JSON");
    assert_eq!(back, "</script><!--", "and means the same");
}

#[test]
fn scripts_and_styles_cannot_end_their_elements() {
    for text in super::SCRIPTS {
        assert!(!text.contains("</"), "a script holds a closing tag");
    }
    for text in super::STYLES {
        assert!(!text.contains('<'), "a style sheet holds a tag");
    }
}
