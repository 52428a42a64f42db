//! A game's data as bundles and patches, and back.

use std::fs;
use std::path::Path;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_compiler::{BundlingError, Compilers, GameData, Platform, Project, Threads};

/// A folder with a project in `game`, compiled into `data`.
fn game() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(place.path().join("game/signs")).expect("it may be made");
    for (path, text) in [
        ("door.config", "width = 0.9"),
        ("signs/exit.data", "EXIT"),
        ("signs/exit.fr.data", "SORTIE"),
        ("signs/all.package", "data = [ \"signs/*\" ]"),
    ] {
        write(place.path(), path, text);
    }
    compile(place.path(), "data");
    place
}

fn write(place: &Path, path: &str, text: &str) {
    fs::write(place.join("game").join(path), text).expect("the folder may be written");
}

fn compile(place: &Path, data: &str) {
    let (sources, data, compilers) = (place.join("game"), place.join(data), Compilers::built_in());
    let report = Project::new(&sources, &data, &compilers).compile(&Threads::default());
    report.expect("it can be compiled");
}

fn with_memory(test: impl FnOnce(&dyn Allocator)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    test(&heap);
    assert_eq!(heap.stats().live, 0, "blocks were never given back");
}

fn open<'h>(
    place: &Path,
    name: &str,
    memory: &'h (dyn Allocator + 'h),
) -> Result<GameData<'h>, BundlingError> {
    GameData::open(&place.join(name), Platform::here(), memory)
}

/// Returns all files below a folder, by their names.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        files.push((name, fs::read(&path).expect("it can be read")));
    }
    files.sort();
    files
}

#[test]
fn data_is_bundled_patched_and_extracted() {
    let place = game();
    let place = place.path();
    with_memory(|memory| {
        let written =
            open(place, "data", memory).expect("compiled").build(&place.join("shipped"), memory);
        let written = written.expect("the folder may be written");
        let names: Vec<_> = written.iter().map(|of| (&*of.name, of.variants, of.files.0)).collect();
        assert_eq!(names, [("game.bundle", 2, 2), ("package.signs.all.bundle", 2, 2)]);
        let again = place.join("again");
        open(place, "data", memory).expect("compiled").build(&again, memory).expect("as before");
        assert_eq!(files(&again), files(&place.join("shipped")), "the same bytes each time");

        write(place, "door.config", "width = 1.1");
        write(place, "wall.config", "height = 3");
        fs::remove_file(place.join("game/signs/exit.fr.data")).expect("it is there");
        compile(place, "newer");
        let newer = open(place, "newer", memory).expect("compiled");
        {
            let shipped = open(place, "shipped", memory).expect("it was written");
            let differences = shipped.differences(&newer);
            let sides = differences.iter().map(|of| (of.old.is_some(), of.new.is_some()));
            let count = |side| sides.clone().filter(|of| *of == side).count();
            assert_eq!([(false, true), (true, true), (true, false)].map(count), [1, 1, 1]);
            let out = (&*place.join("shipped"), "patch.0001.bundle");
            let patch = newer.patch(&shipped, out, memory).expect("it fits");
            assert_eq!((patch.variants, patch.files.0, patch.header.layer), (3, 2, 1));
        }
        let shipped = open(place, "shipped", memory).expect("the patch fits");
        assert_eq!(shipped.differences(&newer), []);
        let same = newer.patch(&shipped, (&place.join("shipped"), "patch.0002.bundle"), memory);
        assert!(matches!(same, Err(BundlingError::Same)), "{same:?}");

        let loose = place.join("loose");
        assert_eq!(shipped.extract(&loose, memory).expect("a new folder"), 4);
        let table = |folder: &Path| fs::read(folder.join("resources")).expect("it is there");
        assert_eq!(table(&loose), table(&place.join("newer")));
        assert_eq!(files(&loose.join("blobs")), files(&place.join("newer/blobs")));
        assert!(shipped.extract(&loose, memory).is_err(), "there are files in it");
    });
}

#[test]
fn what_cannot_be_bundled_is_refused() {
    let place = game();
    let place = place.path();
    with_memory(|memory| {
        let refusal =
            |name: &str| open(place, name, memory).expect_err("it is refused").to_string();
        assert!(refusal("game").contains("no bundles and no compiled data"));
        let ps3 = Platform::find("ps3").expect("it is known");
        let wrong = GameData::open(&place.join("data"), ps3, memory);
        assert!(matches!(wrong, Err(BundlingError::Order(_))), "{wrong:?}");
        open(place, "data", memory)
            .expect("compiled")
            .build(&place.join("shipped"), memory)
            .expect("a new folder");

        fs::rename(place.join("game/signs/all.package"), place.join("game/signs/some.package"))
            .expect("it is there");
        compile(place, "data");
        let data = open(place, "data", memory).expect("compiled");
        let others = data.build(&place.join("shipped"), memory);
        assert!(matches!(others, Err(BundlingError::Others(..))), "{others:?}");

        write(place, "Door.config", "width = 2");
        compile(place, "data");
        let text = refusal("data");
        assert!(text.starts_with("door.config: its name differs from `Door.config` by"), "{text}");
        fs::remove_file(place.join("game/Door.config")).expect("it is there");
        write(place, "door.config", "width = wide");
        compile(place, "data");
        let text = refusal("data");
        assert!(text.starts_with("door.config: it is wrong or was not compiled"), "{text}");

        write(place, "door.config", "width = 1");
        compile(place, "data");
        let blobs = place.join("data/blobs");
        for (name, mut bytes) in files(&blobs) {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            fs::write(blobs.join(name), bytes).expect("the folder may be written");
        }
        assert!(refusal("data").contains("a file of it is damaged or gone"));
    });
}
