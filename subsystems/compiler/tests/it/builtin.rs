//! The built-in compilers, and loading what they made.

use std::path::Path;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CONFIG_VERSION, Compilers};
use loligo_ids::{IdString64, ReverseLookup, id64};
use loligo_resources::{Config, DataFolder, ResourceKey, Resources};

use crate::place::Place;

fn with_resources(
    data: &Path,
    test: impl FnOnce(&mut Resources<'_, HeapAllocator<'_, PageAllocator>>),
) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let folder = DataFolder::new(data).expect("UTF-8");
    let mut resources = Resources::try_open_in(folder, &heap).expect("it was compiled");
    resources.try_expect_version(id64!("config"), CONFIG_VERSION).expect("memory");
    test(&mut resources);
}

#[test]
fn settings_are_read_as_they_were_written() {
    let text = "// A door.\nsize = [ 0.9 2 ]\nname = \"d\\u00f3r\"\nopen = true\nopen = false\n\
        big = 18446744073709551615\nleft = -3\nempty = {}\nnone = null\nin = { in = { deep = [ [] ] } }\n";
    let place = Place::with(&[("units/door.config", text)]);
    assert_eq!(place.compiled(&Compilers::built_in()), 1);
    with_resources(&place.data(), |resources| {
        let key = ResourceKey::new("config", "units/door");
        resources.load(key).expect("it was compiled");
        let resource = resources.get(key).expect("it is loaded");
        let root = Config::open(resource.payload()).expect("it is whole").root();
        let get = |name| root.get(IdString64::new(name)).expect("it is there");
        assert_eq!(
            get("size").items().map(|(_, item)| item.as_f64()).collect::<Vec<_>>(),
            [Some(0.9), Some(2.0)]
        );
        assert_eq!(get("name").as_str(), Some("d\u{f3}r"));
        assert_eq!(get("open").as_bool(), Some(false), "the last one counts");
        assert_eq!((get("big").as_u64(), get("big").as_i64()), (Some(u64::MAX), None));
        assert_eq!((get("left").as_i64(), get("left").as_u64()), (Some(-3), None));
        assert!(get("empty").is_empty() && get("none").as_str().is_none());
        let deep = get("in").get(id64!("in")).and_then(|inner| inner.get(id64!("deep")));
        assert_eq!(deep.and_then(|deep| deep.at(0)).map(|item| item.len()), Some(0));
        assert_eq!(root.len(), 8);
    });
    let names = std::fs::read(place.data().join("names")).expect("it is there");
    let names = ReverseLookup::<IdString64>::open(&names).expect("it is whole");
    for name in ["config", "units/door", "size", "deep"] {
        assert_eq!(names.get(IdString64::new(name)), Some(name));
    }
}

#[test]
fn a_fault_in_settings_has_its_place() {
    let place = Place::with(&[
        ("a.config", "x = 1\n\ty = door"),
        ("b.config", "\u{fffd}"),
        ("c.config", ""),
    ]);
    let report = place.compile(&Compilers::built_in());
    assert_eq!(report.compiled, 1);
    let texts: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
    let first = "a.config:2:6: expected a value, found `d`; put text in quotes [resource a of type config]\n    \
                 When compiling: a.config";
    assert_eq!(texts[0], first);
    assert!(texts[1].starts_with("b.config:1:1: expected "), "{}", texts[1]);
}

#[test]
fn packages_list_names_and_folders() {
    let place = Place::with(&[
        ("all.package", "data = [ \"gui/*\" \"sky\" ]\nconfig = [ \"*\" ]\n"),
        ("sky.data", "blue"),
        ("gui/a.data", "a"),
        ("gui/b.fr.data", "b"),
        ("gui/only.ps3.data", "not here"),
        ("gui/deeper/c.data", "not in the folder"),
        ("gui/d.png", "no resource"),
        ("set.config", "x = 1"),
    ]);
    let compilers = Compilers::built_in();
    place.compiled(&compilers);
    let loaded = |count| {
        with_resources(&place.data(), |resources| {
            let french = [id64!("fr")];
            resources.try_set_preference_order(&french, &mut |_| {}).expect("memory");
            resources.load_package("all").expect("all is there");
            assert_eq!(resources.iter().len(), count, "{:?}", resources.iter().collect::<Vec<_>>());
            resources.unload_package("all");
            assert_eq!(resources.iter().len(), 0);
        });
    };
    loaded(5);
    place.write("gui/e.data", "new");
    assert_eq!(place.compiled(&compilers), 2, "it, and the package");
    loaded(6);

    place.write("all.package", "data = [\n\t\"gui/a\"\n\t\"gui/z\" ]");
    let report = place.compile(&compilers);
    let text = report.errors[0].to_string();
    assert!(
        text.starts_with("all.package:3:2: there is no resource `gui/z` of type `data`; "),
        "{text}"
    );
    for (source, place_and_reason) in [
        ("data = [ 7 ]", "1:10: a name is a string"),
        ("data = 7", "1:8: the names of a type are an array"),
        ("[ ]", "1:1: a package is an object of types"),
        ("data = [ \"no/*\" ]", "1:10: there is no folder `no`"),
        ("data = [ \"../*\" ]", "1:10: `..` is no path in the project"),
    ] {
        place.write("all.package", source);
        let report = place.compile(&compilers);
        let text = report.errors[0].to_string();
        assert!(text.starts_with(&format!("all.package:{place_and_reason};")), "{text}");
    }
}
