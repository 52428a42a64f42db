//! What holds for every text of SJSON or JSON that is accepted, for the target `sjson`.

use loligo_allocators::Allocator;
use loligo_sjson::{Edits, NodeKind, Options, Path, Style, SyntaxTree, Value, format};

/// Reads a text in every way. One that is refused is refused by all; of one that is accepted the
/// tree keeps every byte, it is formatted twice alike, and its value is the same as JSON and back.
///
/// # Panics
///
/// If one of these does not hold.
pub fn hold(text: &[u8], options: &Options, memory: &dyn Allocator) {
    let tree: Result<SyntaxTree, _> = SyntaxTree::try_parse_in(text, options, memory);
    let Ok(tree) = tree else {
        assert!(Value::try_parse_in(text, options, memory).is_err(), "refused as a tree");
        return;
    };
    tree.validate().expect("what was read is whole");
    let pieces: String = tree.pieces().map(|piece| piece.text).collect();
    assert_eq!(pieces.as_bytes(), text, "the tree keeps every byte");

    let once = formatted(text, options, Style::SJSON);
    assert_eq!(once, formatted(once.as_bytes(), &Options::SJSON, Style::SJSON), "formatted twice");
    let json = formatted(text, options, Style::JSON);
    let back = formatted(json.as_bytes(), &Options::JSON, Style::SJSON);
    same_values(
        text,
        options,
        &[(&once, Options::SJSON), (&json, Options::JSON), (&back, Options::SJSON)],
        memory,
    );
    edit(&tree, options, memory);
}

fn formatted(text: &[u8], options: &Options, style: Style) -> String {
    let mut written = String::new();
    format(text, options, style, &mut written).expect("it was accepted");
    written
}

fn same_values(
    text: &[u8],
    options: &Options,
    others: &[(&String, Options)],
    memory: &dyn Allocator,
) {
    // A number may be too large for a float; then there is no value to compare.
    let Ok(value) = Value::try_parse_in(text, options, memory) else { return };
    value.validate().expect("what was read is whole");
    for (other, options) in others {
        let other =
            Value::try_parse_in(other.as_bytes(), options, memory).expect("it was accepted");
        assert!(value == other, "{value:?} became {other:?}");
    }
}

/// Changes, adds and removes something, each of which must leave good text.
fn edit(tree: &SyntaxTree<'_, '_, dyn Allocator + '_>, options: &Options, memory: &dyn Allocator) {
    let root = tree.root();
    let (new, old) = match root.kind() {
        NodeKind::Object => ("new~1key", root.children().last().and_then(|child| child.key())),
        NodeKind::Array => ("-", None),
        _ => return,
    };
    let old = match old {
        Some(key) => format!("/{}", escaped(key)),
        None if new == "-" => "0".to_owned(),
        None => return,
    };
    let old = Path::new(&old);
    for way in 0..3 {
        let mut edits = Edits::new(tree);
        let outcome = match way {
            0 => edits.set(old, "[true]"),
            1 => edits.insert(Path::new(new), "null"),
            _ => edits.remove(old),
        };
        if outcome.is_err() {
            continue;
        }
        let mut edited = String::new();
        edits.write(&mut edited).expect("a string takes every write");
        let again: Result<SyntaxTree, _> =
            SyntaxTree::try_parse_in(edited.as_bytes(), options, memory);
        again.unwrap_or_else(|error| panic!("edited {way} to {edited:?}: {error}"));
    }
}

fn escaped(key: loligo_sjson::Text<'_>) -> String {
    let mut text = String::new();
    let Ok(()) = key.unescape(|piece| {
        text.push_str(piece);
        Ok::<(), core::convert::Infallible>(())
    });
    text.replace('~', "~0").replace('/', "~1")
}
