//! Texts with values in them: by hand, and by chance.

use loligo_text::compile::{Message, Piece};
use loligo_text::{Strings, TextValue};
use proptest::prelude::{Strategy, any, prop, prop_assert_eq, proptest};

use crate::support::{text, with_strings};

const MENU: &str = r#"
texts = {
    start = "Start the game"
    greeting = "Hello, {name}! {{not a value}} {name}"
    empty = ""
    coins = { by = "count" one = "{count} coin for {name}" other = "{count} coins for {name}" }
    options = { sound = "Sound" inner = { deep = "Deep" } }
    größe = "Größe: {size}"
}
"#;

fn with_menu(act: impl FnOnce(&Strings<'_>)) {
    with_strings(MENU, act);
}

#[test]
fn values_are_in_the_place_of_their_names() {
    let (ada, many) = (TextValue::Text("Ada"), TextValue::Number(3.0));
    with_menu(|menu| {
        for (key, values, wanted) in [
            ("start", &[][..], "Start the game"),
            ("greeting", &[("name", ada)], "Hello, Ada! {not a value} Ada"),
            ("empty", &[], ""),
            ("options.sound", &[], "Sound"),
            ("options.inner.deep", &[], "Deep"),
            ("größe", &[("size", TextValue::Number(1.5))], "Größe: 1.5"),
            ("coins", &[("name", ada), ("count", many)], "3 coins for Ada"),
            ("coins", &[("count", TextValue::Number(1.0)), ("name", ada)], "1 coin for Ada"),
            ("coins", &[("count", TextValue::Text("1")), ("name", ada)], "1 coin for Ada"),
            ("coins", &[("count", TextValue::Text("one")), ("name", ada)], "one coins for Ada"),
            ("coins", &[("count", TextValue::Number(f64::NAN))], "NaN coins for {name}"),
            ("coins", &[], "{count} coins for {name}"),
            ("greeting", &[("named", ada)], "Hello, {name}! {not a value} {name}"),
        ] {
            assert_eq!(text(menu, key, values).as_deref(), Some(wanted), "{key} {values:?}");
        }
        for missing in ["", "Start", "options", "options.", "coins.one", "start "] {
            assert_eq!(text(menu, missing, &[]), None, "{missing:?}");
        }
        assert_eq!((menu.language(), menu.keys().len()), ("en", 7));
    });
}

#[test]
fn each_language_chooses_its_form() {
    let source = |language: &str, forms: &str| {
        format!("language = \"{language}\" texts = {{ files = {{ by = \"n\" {forms} }} }}")
    };
    for (language, forms, wanted) in [
        (
            "en",
            "one = \"{n} file\" other = \"{n} files\"",
            "0 files|1 file|2 files|5 files|21 files",
        ),
        (
            "fr",
            "one = \"{n} fichier\" other = \"{n} fichiers\"",
            "0 fichier|1 fichier|2 fichiers|5 fichiers|21 fichiers",
        ),
        (
            "pl",
            "one = \"{n} plik\" few = \"{n} pliki\" many = \"{n} plików\" other = \"{n} pliku\"",
            "0 plików|1 plik|2 pliki|5 plików|21 plików",
        ),
        (
            "ru",
            "one = \"{n} файл\" few = \"{n} файла\" many = \"{n} файлов\" other = \"{n} файла\"",
            "0 файлов|1 файл|2 файла|5 файлов|21 файл",
        ),
        (
            "ar",
            "zero = \"لا ملفات\" one = \"ملف واحد\" two = \"ملفان\" few = \"{n} ملفات\" many = \"{n} ملفا\" other = \"{n} ملف\"",
            "لا ملفات|ملف واحد|ملفان|5 ملفات|21 ملفا",
        ),
        (
            "ja",
            "other = \"{n} 個のファイル\"",
            "0 個のファイル|1 個のファイル|2 個のファイル|5 個のファイル|21 個のファイル",
        ),
    ] {
        with_strings(&source(language, forms), |strings| {
            let shown = [0.0, 1.0, 2.0, 5.0, 21.0].map(|number| {
                text(strings, "files", &[("n", TextValue::Number(number))]).expect("it is there")
            });
            assert_eq!(shown.join("|"), wanted, "{language}");
        });
    }
    // Millions and fractions are as other numbers where their form is left out.
    let forms = "one = \"{n} fichier\" many = \"{n} de fichiers\" other = \"{n} fichiers\"";
    with_strings(&source("fr", forms), |strings| {
        let shown = text(strings, "files", &[("n", TextValue::Number(1e6))]);
        assert_eq!(shown.as_deref(), Some("1000000 de fichiers"));
    });
}

/// A piece by chance: a text without end, or the name of one of a few values.
fn piece() -> impl Strategy<Value = Piece> {
    let texts = "[ -~äß語{}]{1,12}".prop_map(Piece::Text);
    let names = "[a-d]_?[0-9]{0,2}".prop_map(Piece::Placeholder);
    prop::strategy::Union::new([texts.boxed(), names.boxed()])
}

/// Writes pieces as a source has them.
fn source_of(pieces: &[Piece]) -> String {
    let escaped = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let written = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => escaped(text),
        Piece::Placeholder(name) => format!("{{{name}}}"),
    });
    written.collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(pieces in prop::collection::vec(piece(), 0..8)) {
        let source = source_of(&pieces);
        let message = Message::parse(&source).expect("it is right");
        // Texts that follow each other are one.
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (_, piece) => joined.push(piece),
            }
        }
        prop_assert_eq!(&message.pieces, &joined);
        prop_assert_eq!(source_of(&message.pieces), source);
    }

    #[test]
    fn any_text_is_read_or_refused(source in "[{}a_ é]{0,24}") {
        match Message::parse(&source) {
            Ok(message) => {
                let again = Message::parse(&source_of(&message.pieces)).expect("it is right");
                prop_assert_eq!(again, message);
            }
            Err((reason, remedy)) => prop_assert_eq!(reason.is_empty() || remedy.is_empty(), false),
        }
    }
}

proptest! {
    // Each is a project that is compiled.
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    #[test]
    fn a_compiled_text_is_shown_as_its_pieces(
        pieces in prop::collection::vec(piece(), 0..8),
        values in prop::collection::vec(("[a-d]_?[0-9]{0,2}", any::<f64>()), 0..6),
    ) {
        let source = source_of(&pieces).replace('\\', "\\\\").replace('"', "\\\"");
        let find = |name: &str| values.iter().find(|(of, _)| of == name).map(|(_, value)| *value);
        let shown: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Placeholder(name) => match find(name) {
                    Some(value) => TextValue::Number(value).to_string(),
                    None => format!("{{{name}}}"),
                },
            })
            .collect();
        let named: Vec<_> =
            values.iter().map(|(name, value)| (&**name, TextValue::Number(*value))).collect();
        let mut written = None;
        with_strings(&format!("texts = {{ one = \"{source}\" }}"), |strings| {
            written = text(strings, "one", &named);
        });
        prop_assert_eq!(written, Some(shown));
    }
}
