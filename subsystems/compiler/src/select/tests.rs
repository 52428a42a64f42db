//! Tests of which files become which resources.

use std::fs;

use crate::builtin::CopyCompiler;
use crate::compilers::Compilers;
use crate::error::ResourceError;
use crate::platform::Platform;
use crate::target::Target;
use crate::tree::SourceTree;

use super::{Wanted, select};

/// Selects among files of these names.
fn selected(
    files: &[&str],
    platform: &str,
    languages: Option<&[&str]>,
) -> (Vec<Wanted>, Vec<ResourceError>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it may be made");
        fs::write(path, b"x").expect("it may be written");
    }
    let mut compilers = Compilers::new();
    compilers.register("texture", CopyCompiler);
    let (place, data) = (folder.path(), folder.path().join("none"));
    let tree = SourceTree::scan_while(place, &data, compilers.sources(), &|| true);
    let tree = tree.expect("it can be read").expect("it goes on");
    let source = Platform::find(platform).expect("it is known");
    let languages = languages.map(|kept| kept.iter().map(|&language| language.into()).collect());
    select(&tree, &compilers, &Target { source, languages, ..Target::default() })
}

fn sources(files: &[&str], platform: &str, languages: Option<&[&str]>) -> Vec<String> {
    let (wanted, errors) = selected(files, platform, languages);
    assert_eq!(errors, [], "nothing is wrong");
    wanted.into_iter().map(|one| one.source.as_ref().to_owned()).collect()
}

/// The files of the article.
const BUTTONS: [&str; 4] = [
    "buttons.texture",
    "buttons.ps3.texture",
    "buttons.en.x360.texture",
    "buttons.fr.x360.texture",
];

#[test]
fn a_platform_takes_its_own_variants_or_those_of_nobody() {
    assert_eq!(sources(&BUTTONS, "ps3", None), ["buttons.ps3.texture"]);
    assert_eq!(sources(&BUTTONS, "linux", None), ["buttons.texture"]);
    let both = ["buttons.en.x360.texture", "buttons.fr.x360.texture"];
    assert_eq!(sources(&BUTTONS, "x360", None), both);
    let (wanted, _) = selected(&BUTTONS, "x360", None);
    assert_eq!(wanted[0].name.properties, ["en"], "the platform is resolved here");
    assert_eq!(sources(&["a.ps3.texture"], "linux", None), [""; 0]);
    assert_eq!(sources(&["a.ps3.linux.texture"], "linux", None), ["a.ps3.linux.texture"]);
}

#[test]
fn languages_that_are_not_kept_are_as_if_they_were_not_there() {
    assert_eq!(sources(&BUTTONS, "x360", Some(&["fr"])), ["buttons.fr.x360.texture"]);
    assert_eq!(sources(&BUTTONS, "x360", Some(&[])), ["buttons.texture"]);
    let other = ["a.hd.texture", "a.de.hd.texture"];
    assert_eq!(sources(&other, "linux", Some(&["fr"])), ["a.hd.texture"], "`hd` is no language");
}

#[test]
fn what_is_no_resource_is_passed_over() {
    let files = ["a.png", "texture", ".texture", "a.texture~", ".git/b.texture", "in/c.texture"];
    assert_eq!(sources(&files, "linux", None), ["in/c.texture"]);
}

#[test]
fn names_that_are_wrong_are_told() {
    let files = ["a..texture", "b.hd.hd.texture", "c.texture"];
    let (wanted, errors) = selected(&files, "linux", None);
    assert_eq!(wanted.len(), 1);
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "a..texture: a property or the type is empty; rename the file",
            "b.hd.hd.texture: the property `hd` stands there twice; rename the file",
        ]
    );
}

#[test]
fn one_variant_has_one_source() {
    let files = ["a.fr.hd.texture", "a.hd.fr.texture", "a.linux.fr.hd.texture"];
    let (wanted, errors) = selected(&files, "ps3", None);
    assert_eq!((wanted.len(), errors.len()), (1, 1));
    let text = errors[0].to_string();
    assert!(text.starts_with("a.hd.fr.texture: `a.fr.hd.texture` is the same variant"), "{text}");
}

#[test]
fn two_names_with_one_hash_are_an_error() {
    let mut text = [0; 16];
    let hash = loligo_ids::IdString64::new("a").hash();
    let other = loligo_ids::preimage_64(hash, 0, &mut text).expect("16 characters are enough");
    // Printable text may hold what no name of a file can; this one does not.
    let usable = !other.contains(['/', '.', '\\']) && !other.starts_with('.');
    assert!(usable, "{other:?} cannot be a file: look for another name");
    let (wanted, errors) = selected(&["a.texture", &format!("{other}.texture")], "linux", None);
    assert_eq!((wanted.len(), errors.len()), (1, 1), "{errors:?}");
    assert!(errors[0].error.reason.contains("have one hash"), "{}", errors[0]);
}
