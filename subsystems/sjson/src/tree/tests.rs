//! Tests of syntax trees.

use std::string::String;
use std::vec::Vec;

use loligo_allocators::Allocator;

use crate::error::ReadError;
use crate::options::Options;
use crate::path::Path;
use crate::test_memory::{every_refusal, with_memory};
use crate::tree::{NodeKind, PieceKind, SyntaxTree};

const TEXT: &str = "// head\n\"a b\" = [ 1, { c = \"x\" } ]\t/* d */\ne: null\n";

#[test]
fn every_piece_is_there() {
    with_memory(|memory| {
        for text in [
            TEXT,
            "",
            " ",
            "{}",
            "{ a = [ ] } // end",
            "[[[]]]",
            "\u{feff}a=1",
            "12",
            "a = /* ] } */ 1",
            "// ] }\n{ /* { */ a = [ 1 ] /* ] */ , }\n",
            "/* only */",
            "\"a\" = \"\"\"]\"\"\"",
            "a = ",
            "a =\t // b\n",
        ] {
            let tree =
                SyntaxTree::try_parse_in(text.as_bytes(), &Options::SJSON, memory).expect(text);
            tree.validate().expect(text);
            let pieces: Vec<_> = tree.pieces().collect();
            let all: String = pieces.iter().map(|piece| piece.text).collect();
            assert_eq!(all, text, "{pieces:?}");
            let count = |kind| pieces.iter().filter(|piece| piece.kind == kind).count();
            assert_eq!(count(PieceKind::Open), count(PieceKind::Close), "{text}");
            for piece in pieces {
                let fits = match piece.kind {
                    PieceKind::Space => {
                        piece.text.trim_matches(['\u{feff}', ' ', '\t', '\n']).is_empty()
                    }
                    PieceKind::Comment => piece.text.starts_with('/'),
                    PieceKind::Comma => piece.text == ",",
                    PieceKind::Separator => matches!(piece.text, "=" | ":"),
                    PieceKind::Open => matches!(piece.text, "{" | "["),
                    PieceKind::Close => matches!(piece.text, "}" | "]"),
                    PieceKind::Key | PieceKind::Value => !piece.text.is_empty(),
                };
                assert!(fits, "{piece:?} of {text}");
            }
        }
    });
}

#[test]
fn paths_lead_to_values_or_say_how_far() {
    with_memory(|memory| {
        let text = "a = { \"b/c\" = [ 1 { \"d~\\u0065\" = \"x\" } ] } f = 2 f = 3 \"\" = { \"\" = 4 } g = []";
        let memory: &dyn Allocator = memory;
        let tree = SyntaxTree::try_parse_in(text.as_bytes(), &Options::SJSON, memory).expect(text);
        for (path, found) in [
            ("a/b~1c/0", "1"),
            ("a/b~1c/1/d~0e", "\"x\""),
            ("f", "3"),
            ("//", "4"),
            ("/f", "3"),
            ("/g", "[]"),
            ("a/b~1c/1", "{ \"d~\\u0065\" = \"x\" }"),
        ] {
            let node = tree.find(Path::new(path)).expect(path);
            assert_eq!(node.text(), found, "{path}");
        }
        assert_eq!(tree.root().text(), text);
        assert_eq!(tree.find("".into()).expect("the root").kind(), NodeKind::Object);
        let name = tree.find("a/b~1c/1/d~0e".into()).expect("it is there");
        assert!(name.key().is_some_and(|key| key.is("d~e")), "{name:?}");
        assert!(name.string().is_some_and(|string| string.is("x")), "{name:?}");
        for (path, error) in [
            ("b", "the root has no key `b`"),
            ("b/c", "the root has no key `b`"),
            ("/b/c", "the root has no key `b`"),
            ("/a/x", "`/a` has no key `x`"),
            ("//x", "`/` has no key `x`"),
            ("a/x/y", "`a` has no key `x`"),
            ("a/b~1c/2", "`a/b~1c` has no item `2`; its items are 0 to 1"),
            ("a/b~1c/01", "`a/b~1c` has no item `01`; its items are 0 to 1"),
            ("a/b~1c/-1", "`a/b~1c` has no item `-1`; its items are 0 to 1"),
            ("g/0", "`g` is an empty array"),
            ("f/0", "`f` is no object or array; there is no `0` in it"),
        ] {
            let refused = tree.find(Path::new(path)).expect_err(path);
            assert_eq!(std::format!("{refused}"), error, "{path}");
        }
    });
}

#[test]
fn no_memory_is_an_error() {
    every_refusal(|memory| {
        let tree = SyntaxTree::try_parse_in(TEXT.as_bytes(), &Options::SJSON, memory)?;
        tree.validate().expect("a tree is whole");
        Ok::<(), ReadError>(())
    });
}
