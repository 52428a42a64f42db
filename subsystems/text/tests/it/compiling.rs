//! Sources that are wrong: each is refused with its place, the reason and the remedy.

use crate::support::compiled;

/// Returns what is said of a source of a file.
fn said(path: &str, source: &str) -> String {
    let errors = compiled(&[(path, source)], |_| {});
    assert!(errors.len() <= 1, "{errors:?}");
    errors.into_iter().next().unwrap_or_default()
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (source, place, reason) in [
        ("", "1:1", "there is no `texts`; write `texts"),
        ("text = {}", "1:1", "the key `text` means nothing here; is `texts` meant?"),
        ("texts = []", "1:9", "expected an object, found an array"),
        ("texts = { a = 3 }", "1:15", "expected a string, found a number"),
        ("texts = { a = \"{\" }", "1:15", "there is a `{` without a `}` in `{`; write `{{`"),
        ("texts = { a = \"}\" }", "1:15", "there is a `}` without a `{` in `}`; write `}}`"),
        ("texts = { a = \"{a b}\" }", "1:15", "`{a b}` is no placeholder; name it by"),
        ("texts = { a = \"{}\" }", "1:15", "`{}` is no placeholder"),
        ("texts = { a = \"{ä}\" }", "1:15", "`{ä}` is no placeholder"),
        ("texts = {\n    \"a.b\" = \"c\" }", "2:13", "`a.b` is no key of a text; name it without"),
        ("texts = { \"\" = \"c\" }", "1:16", "`` is no key of a text"),
        ("texts = { a = \"b\" a = \"c\" }", "1:23", "the key `a` comes twice; remove one"),
        ("language = \"english\" texts = {}", "1:12", "`english` is no language; write a code of"),
        (
            "texts = { a = { by = \"n\" other = \"b\" } }",
            "1:15",
            "the form `one` is missing, which `en` has; add `one = \"..\"`, for 1",
        ),
        (
            "language = \"pl\" texts = { a = { by = \"n\" one = \"b\" other = \"b\" few = \"b\" } }",
            "1:31",
            "the form `many` is missing, which `pl` has; add `many = \"..\"`, for 0, 5, 6, 7",
        ),
        (
            "texts = { a = { by = \"n\" one = \"b\" } }",
            "1:15",
            "the form `other` is missing, which `en` has",
        ),
        (
            "language = \"ja\" texts = { a = { by = \"n\" one = \"b\" other = \"b\" } }",
            "1:48",
            "`ja` has no form `one`; its forms are other",
        ),
        (
            "texts = { a = { by = \"n\" on = \"b\" other = \"b\" } }",
            "1:26",
            "the key `on` means nothing here; is `one` meant?",
        ),
        (
            "texts = { a = { by = \"a b\" one = \"b\" other = \"b\" } }",
            "1:22",
            "`a b` is no placeholder",
        ),
        (
            "language = \"gv\" texts = { a = { by = \"n\" other = \"b\" } }",
            "1:31",
            "the plurals of `gv` are not known; write one text",
        ),
    ] {
        let error = said("menu.strings", source);
        let wanted = format!("menu.strings:{place}: {reason}");
        assert!(error.starts_with(&wanted), "{source}\n{error}\n{wanted}");
    }
    let long = format!("texts = {{ a = \"{}\" }}", "x".repeat(2049));
    let error = said("menu.strings", &long);
    assert!(error.starts_with("menu.strings:1:15: the text has 2049 bytes; split it"), "{error}");
}

#[test]
fn a_variant_has_its_language_and_says_no_other() {
    let forms = "texts = { a = { by = \"n\" one = \"b\" other = \"c\" } }";
    for (path, source, wanted) in [
        ("menu.fr.strings", format!("language = \"fr\" {forms}"), ""),
        ("menu.hd.strings", format!("language = \"fr\" {forms}"), ""),
        ("menu.pt-br.strings", forms.to_owned(), ""),
        (
            "menu.fr.strings",
            format!("language = \"en\" {forms}"),
            "menu.fr.strings:1:12: it is `en`, and the file's name says another; leave it out",
        ),
        ("menu.ru.strings", forms.to_owned(), "menu.ru.strings:1:15: the form `few` is missing"),
        // Without forms nothing needs the rule of a language.
        ("menu.gv.strings", "texts = { a = \"b\" }".to_owned(), ""),
    ] {
        let error = said(path, &source);
        assert!(
            error.starts_with(wanted) && error.is_empty() == wanted.is_empty(),
            "{path}: {error}"
        );
    }
}
