//! SJSON under the suite for subsystems: values, syntax trees and edits.

use loligo_allocators::Allocator;
use loligo_sjson::{Edits, Nest, Options, Style, SyntaxTree, Value, ValueBuilder};

use crate::subsystems::conforms;

const LEVEL: &str = "// A level.\nname = \"d\\u00f3r\"\nunits = [ { id = 7 }, { id = 8 } ]\n\
    code = \"\"\"\n\tvoid main() {}\n\"\"\"\nsize = { width = 0.9, height = -21e-1 } // metres\n";

fn text(write: impl FnOnce(&mut String) -> core::fmt::Result) -> String {
    let mut text = String::new();
    write(&mut text).expect("a string takes every write");
    text
}

#[test]
fn values_conform() {
    conforms(|watch| {
        let read = |memory| Value::try_parse_in(LEVEL.as_bytes(), &Options::SJSON, memory);
        let state = |value: &Value<'_>| text(|text| value.write(Style::SJSON, text));
        let mut value = watch.make(read, state)?.claiming(|value| value.bytes());
        value.call(|value| value.try_shrink_to_fit())
    });
}

#[test]
fn builders_conform() {
    conforms(|watch| {
        let made = |memory| Ok::<_, core::convert::Infallible>(ValueBuilder::new_in(memory));
        let mut builder = watch.make(made, |builder: &ValueBuilder<'_>| format!("{builder:?}"))?;
        builder.call(|builder| builder.try_start(Nest::Object))?;
        for unit in 0..40 {
            let key = format!("unit {unit}");
            assert!(builder.call(|builder| builder.try_key(&key))?, "a key");
            builder.call(|builder| builder.try_start(Nest::Array))?;
            builder.call(|builder| builder.try_f64(0.5 * f64::from(unit)))?;
            builder.call(|builder| builder.try_string("crate"))?;
            assert!(builder.call(|builder| builder.try_end(Nest::Array))?, "it is open");
        }
        assert!(builder.call(|builder| builder.try_end(Nest::Object))?, "the root is open");
        Ok(())
    });
}

#[test]
fn trees_conform() {
    conforms(|watch| {
        let read = |memory| SyntaxTree::try_parse_in(LEVEL.as_bytes(), &Options::SJSON, memory);
        let state =
            |tree: &SyntaxTree<'_, '_>| tree.pieces().map(|piece| piece.text).collect::<String>();
        let tree = watch.make(read, state)?;
        assert_eq!(tree.find("units/1/id".into()).map(|id| id.text()), Ok("8"));
        Ok(())
    });
}

#[test]
fn edits_conform() {
    conforms(|watch| {
        let read = |memory| SyntaxTree::try_parse_in(LEVEL.as_bytes(), &Options::SJSON, memory);
        let tree = watch.make(read, |tree: &SyntaxTree<'_, '_>| tree.text().len())?;
        let made = |_: &dyn Allocator| Ok::<_, core::convert::Infallible>(Edits::new(&*tree));
        let mut edits =
            watch.make(made, |edits: &Edits<'_, '_, '_>| text(|text| edits.write(text)))?;
        edits.call(|edits| edits.set("units/0/id".into(), "1000000000000000000"))?;
        edits.call(|edits| edits.remove("code".into()))?;
        for way in ["author", "units/-", "size/depth"] {
            edits.call(|edits| edits.insert(way.into(), "[ \"what is put in\" ]"))?;
        }
        Ok(())
    });
}
