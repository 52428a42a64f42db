//! Sources that are compiled into a folder that goes away, and payloads of what became of them.

use std::fs;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_compiler::{Compilers, Project, Threads};
use loligo_containers::BlobBytes;
use loligo_resources::{DataFolder, ResourceKey, Resources};
use loligo_text::{STRINGS_TYPE, Strings, TextValue};

/// Compiles sources: paths and texts. Returns what is wrong, and calls `act` with the resources.
pub(crate) fn compiled(
    sources: &[(&str, &str)],
    act: impl FnOnce(&mut Resources<'_>),
) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, data) = (folder.path().join("sources"), folder.path().join("data"));
    for (path, text) in sources {
        let path = project.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it may be made");
        fs::write(path, text).expect("it may be written");
    }
    let mut compilers = Compilers::built_in();
    loligo_text::compile::register(&mut compilers);
    let report = Project::new(&project, &data, &compilers).compile(&Threads::default());
    let pages = PageAllocator::new("pages");
    {
        let heap = HeapAllocator::new("resources", &pages);
        let folder = DataFolder::new(&data).expect("it was compiled");
        act(&mut Resources::try_open(folder, &heap).expect("it was compiled"));
    }
    assert_eq!(pages.stats().live, 0, "all is given back");
    report.expect("it can be compiled").errors.iter().map(ToString::to_string).collect()
}

/// Compiles one source of texts, which must be right, and calls `act` with its payload.
pub(crate) fn with_payload(source: &str, act: impl FnOnce(&[u8])) {
    let errors = compiled(&[("menu.strings", source)], |resources| {
        const MENU: ResourceKey = ResourceKey::new(STRINGS_TYPE, "menu");
        resources.load(MENU).expect("it was compiled");
        act(resources.get(MENU).expect("it is loaded").payload());
    });
    assert_eq!(errors, [""; 0], "it is right");
}

/// As [`with_payload`], opened.
pub(crate) fn with_strings(source: &str, act: impl FnOnce(&Strings<'_>)) {
    with_payload(source, |payload| act(&Strings::open(payload).expect("it was compiled")));
}

/// Returns the text of a key with values; `None` if there is none.
pub(crate) fn text(
    strings: &Strings<'_>,
    key: &str,
    values: &[(&str, TextValue<'_>)],
) -> Option<String> {
    let mut written = String::new();
    let value = |name: &str| values.iter().find(|(of, _)| *of == name).map(|(_, value)| *value);
    let key = loligo_ids::IdString64::new(key);
    let is_there = strings.write(key, &value, &mut written).expect("a string takes all");
    assert!(is_there || written.is_empty(), "nothing was written");
    is_there.then_some(written)
}

/// Copies bytes to where a blob may be.
pub(crate) fn aligned(bytes: &[u8], act: impl FnOnce(&[u8])) {
    let pages = PageAllocator::new("pages");
    let copy = BlobBytes::try_copy_in(bytes, &pages).expect("there is memory");
    act(&copy);
}
