//! Extensions that mean a type, sources of other resources, and the contexts of an error.

use loligo_compiler::{CompileError, Compiler, Compilers, Context};
use loligo_diagnostics::context;

use crate::place::Place;

/// Says which source it sees, and which one the resource has that its text names.
struct Tell;

impl Compiler for Tell {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let text = String::from_utf8_lossy(&source).into_owned();
        context!("While looking for", text);
        let Some((type_name, name)) = text.split_once(' ') else {
            return Ok(context.source_path().into());
        };
        let found = context.source_of(type_name, name)?;
        let nothing = || CompileError::new("there is no such source", "write it");
        found.map(|path| path.as_bytes().to_vec()).ok_or_else(nothing)
    }
}

fn compilers() -> Compilers {
    let mut compilers = Compilers::new();
    compilers.register("picture", Tell);
    compilers.register_end("png", "picture");
    compilers
}

/// Returns what each resource became, in order.
fn payloads(place: &Place) -> Vec<String> {
    let read = |entry: &loligo_compiler::Entry| {
        let file = entry.output.expect("it went well").file;
        let bytes = std::fs::read(place.data().join(format!("blobs/{file}"))).expect("it is there");
        String::from_utf8_lossy(&bytes[loligo_resources::HEADER_BYTES..]).into_owned()
    };
    place.index().entries.iter().map(read).collect()
}

#[test]
fn an_end_stands_for_a_type_unless_a_source_of_it_is_there() {
    let place = Place::with(&[("a.png", "x"), ("b.png", "x"), ("b.picture", "x"), ("c.bmp", "x")]);
    let report = place.compile(&compilers());
    assert_eq!((report.compiled, report.errors), (2, vec![]));
    assert_eq!(payloads(&place), ["a.png", "b.picture"]);
    std::fs::remove_file(place.sources().join("b.picture")).expect("it is there");
    place.write("a.picture", "x");
    assert_eq!(place.compile(&compilers()).compiled, 2, "the source of each is another");
    assert_eq!(payloads(&place), ["a.picture", "b.png"]);
}

#[test]
fn the_source_of_another_resource_is_its_best_variant() {
    let place = Place::with(&[
        ("sub/a.picture", "x"),
        ("sub/a.fr.picture", "x"),
        ("sub/ab.picture", "x"),
        ("one.picture", "picture sub/a"),
        ("one.fr.night.picture", "picture sub/a"),
        ("one.night.picture", "picture sub/a"),
    ]);
    let report = place.compile(&compilers());
    assert_eq!((report.compiled, report.errors), (6, vec![]));
    let payloads_before = payloads(&place);
    assert_eq!(payloads_before[..3], ["sub/a.picture", "sub/a.fr.picture", "sub/a.picture"]);
    place.write("sub/a.night.picture", "x");
    let report = place.compile(&compilers());
    assert_eq!(report.compiled, 4, "the new one, and the three that asked for the folder");
    assert_eq!(payloads(&place)[2], "sub/a.night.picture");
}

#[test]
fn a_fault_tells_what_was_done_within_the_compile_and_nothing_around_it() {
    context!("When testing");
    let place = Place::with(&[("a.picture", "picture none"), ("b.picture", "picture ../b")]);
    let report = place.compile(&compilers());
    let told: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        told[0],
        "a.picture: there is no such source; write it [resource a of type picture]\n    \
         When compiling: a.picture\n    While looking for: picture none"
    );
    assert!(told[1].contains("`../b` is no path in the project"), "{}", told[1]);
    assert!(told[1].ends_with("\n    While looking for: picture ../b"), "{}", told[1]);
}
