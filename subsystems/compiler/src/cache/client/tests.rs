//! Results that are whole, and under a key that is not theirs: another program has written them.

use std::fs;
use std::path::Path;

use super::super::{CacheStore, DirectoryStore};
use super::*;
use crate::{Compilers, Project, Report, Threads};

fn compile(folder: &Path, data: &str, cache: &TeamCache) -> Report {
    let compilers = Compilers::built_in();
    let mut project = Project::new(&folder.join("sources"), &folder.join(data), &compilers);
    project.set_cache(cache);
    project.compile(&Threads::default()).expect("it can be written")
}

#[test]
fn a_result_that_was_made_of_other_sources_is_not_used() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::create_dir(folder.join("sources")).expect("it may be made");
    fs::write(folder.join("sources/a.data"), "right").expect("it may be written");
    let store = Arc::new(DirectoryStore::create(&folder.join("cache")).expect("it may be made"));
    let shared = || Arc::clone(&store) as Arc<dyn CacheStore>;
    compile(folder, "first", &TeamCache::new(shared(), CacheMode::Write));

    let mut changed = 0;
    for entry in store.list().expect("it can be listed") {
        let bytes =
            store.get(entry.key, entry.bytes).expect("it can be read").expect("it is there");
        let record = Record::from_bytes(entry.key.hash, &bytes);
        let Some(Record::Result(mut result)) = record else { continue };
        let wrong = b"wrong".to_vec();
        result.output = Output { file: hash_of(&wrong), bytes: wrong.len() as u64 };
        result.inline = Some(wrong);
        for made_of in &mut result.dependencies {
            if let Dependency::File { hash, .. } = made_of {
                *hash = Some(hash_of(b"another source"));
            }
        }
        let bytes = Record::Result(result).to_bytes(entry.key.hash);
        store.put(entry.key, &bytes).expect("it may be written");
        changed += 1;
    }
    assert_eq!(changed, 1, "the result of the one resource");

    let report = compile(folder, "second", &TeamCache::new(shared(), CacheMode::Read));
    assert_eq!((report.compiled, report.cached, &*report.errors), (1, 0, &[][..]));
    let [note] = &*report.notes else { panic!("one note: {:?}", report.notes) };
    assert!(note.contains("was made of other sources"), "{note}");
}
