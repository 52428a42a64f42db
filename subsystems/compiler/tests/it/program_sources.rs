//! Sources that come with the program: a project has those that it names, and its own files win.

use loligo_compiler::{CompileError, Compiler, Compilers, Context, Watch};

use crate::place::{Place, contents, later, two};

/// Compiles a text of lines: each names another text, and is kept.
struct Names;

impl Compiler for Names {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let text = core::str::from_utf8(&source).expect("the tests write it");
        for line in text.lines() {
            if line == "wrong" {
                return Err(CompileError::new("it is wrong", "correct it").at(1, 1));
            }
            context.refer("names", line, (1, 1));
        }
        Ok(source.to_vec())
    }
}

fn compilers(last: &'static [u8]) -> Compilers {
    let mut compilers = Compilers::built_in();
    compilers.register("names", Names);
    compilers.register_source("core/first.names", b"core/deep/second\n");
    compilers.register_source("core/deep/second.names", b"core/last\n");
    compilers.register_source("core/last.names", last);
    compilers.register_source("core/alone.names", b"core/first\n");
    compilers
}

/// Returns the names of what was compiled.
fn resources(place: &Place) -> Vec<String> {
    place.index().entries.into_iter().map(|entry| entry.name.name).collect()
}

#[test]
fn what_is_named_is_there_with_all_that_it_names_and_nothing_else() {
    let (place, compilers) = (Place::with(&[("a.names", "")]), compilers(b""));
    assert_eq!(place.compiled(&compilers), 1, "nothing of the program is named");
    place.write("a.names", "core/first\n");
    assert_eq!(place.compiled(&compilers), 4);
    assert_eq!(resources(&place), ["a", "core/deep/second", "core/first", "core/last"]);
    let report = place.compile(&compilers);
    assert_eq!((report.compiled, report.fresh, report.removed), (0, 4, 0), "nothing has changed");
    place.write("a.names", "core/last\n");
    let report = place.compile(&compilers);
    assert_eq!((report.compiled, report.fresh, report.removed), (1, 1, 2), "two are not named");
    place.write("a.names", "core/none\n");
    let errors = place.compile(&compilers).errors;
    assert_eq!(errors[0].error.reason, "there is no resource `core/none` of type `names`");
}

#[test]
fn a_compile_with_nothing_to_do_is_found_without_the_index_as_ever() {
    let (place, compilers) = (Place::with(&[("a.names", "core/first\n")]), compilers(b""));
    let mut project = place.project(&compilers);
    project.set_clock(later);
    for (round, wanted) in [(0, (4, 0)), (1, (0, 4)), (2, (0, 4))] {
        let report = project.compile(&two()).expect("it is there");
        assert_eq!((report.compiled, report.fresh), wanted, "round {round}");
    }
    assert!(place.data().join("look").exists(), "the third saw that nothing was to be done");
    let mut watch = Watch::new();
    assert!(watch.look(&project).expect("it is there"), "the first look");
    assert!(!watch.look(&project).expect("it is there"), "nothing has changed");
}

#[test]
fn another_program_has_other_sources() {
    let place = Place::with(&[("a.names", "core/first\n")]);
    let old = compilers(b"");
    let mut project = place.project(&old);
    project.set_clock(later);
    for _ in 0..3 {
        assert_eq!(project.compile(&two()).expect("it is there").errors, []);
    }
    let new = compilers(b"core/first\n");
    let mut project = place.project(&new);
    project.set_clock(later);
    let report = project.compile(&two()).expect("it is there");
    assert_eq!((report.compiled, report.fresh), (1, 3), "one source is another");
}

#[test]
fn a_file_of_the_project_wins() {
    let (place, compilers) = (Place::with(&[("a.names", "core/first\n")]), compilers(b""));
    assert_eq!(place.compiled(&compilers), 4);
    place.write("core/deep/second.names", "");
    assert_eq!(place.compiled(&compilers), 1);
    assert_eq!(resources(&place), ["a", "core/deep/second", "core/first"], "it names no other");
    // So do a variant for the platform, and a folder of that name.
    place.remove("core/deep/second.names");
    let platform = loligo_compiler::Platform::here().name;
    place.write(&format!("core/last.{platform}.names"), "a\n");
    place.write("core/deep/second.names/a.txt", "");
    let errors = place.compile(&compilers).errors;
    assert_eq!(errors[0].error.file, "core/first.names (built in)");
    assert_eq!(errors[0].error.reason, "there is no resource `core/deep/second` of type `names`");
    std::fs::remove_dir_all(place.sources().join("core/deep")).expect("it is there");
    assert_eq!(place.compiled(&compilers), 1, "the second is built in, the last is the project's");
    let last = place.index().entries.pop().expect("the last");
    assert_eq!(&*last.source, format!("core/last.{platform}.names"));
    // What all these edits led to is what a compile of the last of them makes.
    let clean = Place::with(&[("a.names", "core/first\n")]);
    clean.write(&format!("core/last.{platform}.names"), "a\n");
    assert_eq!(clean.compiled(&compilers), 4);
    assert!(contents(&clean.data()) == contents(&place.data()), "byte for byte");
}

#[test]
fn compilers_see_them_in_folders() {
    let (place, compilers) = (Place::new(), compilers(b""));
    place.write("all.package", "names = [ \"core/*\" ]\n");
    assert_eq!(place.compiled(&compilers), 5, "the package, and all that are there");
    let second = place.index().entries.into_iter().find(|entry| entry.name.name == "core/alone");
    assert!(second.is_some(), "nothing but the package names it");
}

#[test]
fn an_error_says_that_its_source_is_built_in() {
    let (place, compilers) = (Place::with(&[("a.names", "core/last\n")]), compilers(b"wrong\n"));
    let errors: Vec<String> =
        place.compile(&compilers).errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "core/last.names (built in):1:1: it is wrong; correct it [resource core/last of type names]\n    \
          When compiling: core/last.names"
        ]
    );
    place.write("core/last.names", "wrong\n");
    let errors = place.compile(&compilers).errors;
    assert_eq!(errors[0].error.file, "core/last.names", "this one is the project's");
}

#[test]
#[should_panic(expected = "no file of a project can be at `../door.config`")]
fn a_path_that_leads_out_is_refused() {
    Compilers::new().register_source("../door.config", b"");
}
