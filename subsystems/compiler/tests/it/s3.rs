//! A cache in a store of objects, on a server of S3 that is not ours: s3s-fs, which checks
//! signatures. It runs in this process, on a free port.

use core::net::SocketAddr;
use core::time::Duration;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use loligo_compiler::{
    CacheMode, CacheStore as _, ObjectCacheStore, Project, Report, TeamCache, summary, trim, verify,
};

use crate::place::{Place, contents, two};
use crate::s3_server::{KEY, SECRET, Server};
use crate::scripted::compilers;

const URL: &str = "s3://content/cache/game";

impl Server {
    fn store(&self, secret: &str) -> ObjectCacheStore {
        store(self.address, secret)
    }

    fn cache(&self, mode: CacheMode) -> TeamCache {
        TeamCache::new(Arc::new(self.store(SECRET)), mode)
    }
}

fn store(address: SocketAddr, secret: &str) -> ObjectCacheStore {
    let settings = [
        ("AWS_ENDPOINT", &*format!("http://{address}")),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", KEY),
        ("AWS_SECRET_ACCESS_KEY", secret),
        ("HOME", "/what/is/not/a/setting"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    ObjectCacheStore::open_with(URL, settings).expect("the address is right")
}

/// The number of resources.
const COUNT: usize = 60;

fn project() -> Place {
    let place = Place::new();
    for number in 0..COUNT - 2 {
        place.write(&format!("in/{number}.script"), &format!("read t{}.txt", number % 7));
    }
    place.write("all.package", "script = [ \"in/*\" ]");
    place.write("long.data", &"long ".repeat(100_000));
    place
}

/// Compiles as a machine that has nothing yet, and compares with a compile without a cache.
fn check(place: &Place, cache: &TeamCache) -> Report {
    let compilers = compilers(1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let mut project = Project::new(&place.sources(), &data, &compilers);
    project.set_cache(cache);
    let report = project.compile(&two()).expect("it can be written");
    assert_eq!(report.errors, [], "nothing is wrong");
    place.compiled(&compilers);
    assert_eq!(contents(&data), contents(&place.data()), "the same bytes");
    report
}

/// Returns how many files are below a folder.
fn count(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("an entry"));
    entries.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
}

#[test]
fn what_one_machine_has_put_into_s3_another_takes() {
    let (server, place) = (Server::start(0), project());
    let report = check(&place, &server.cache(CacheMode::Write));
    assert_eq!((report.compiled, report.cached, &*report.notes), (COUNT, 0, &[][..]));
    let report = check(&place, &server.cache(CacheMode::Read));
    assert_eq!((report.compiled, report.cached, &*report.notes), (0, COUNT, &[][..]));
    println!("objects: taken from a server of S3: {COUNT} resources");

    let store = server.store(SECRET);
    let all = summary(&store).expect("it can be listed");
    assert_eq!(verify(&store, false), Ok(Vec::new()), "all {} are whole", all.count());
    println!("objects: listed and verified: {} objects", all.count());
    let blob = store.list().expect("it can be listed").into_iter().max_by_key(|entry| entry.bytes);
    let blob = blob.expect("there are some").key;
    store.put(blob, b"damaged").expect("it may be written");
    let report = check(&place, &server.cache(CacheMode::Write));
    assert_eq!((report.compiled, report.notes.len()), (1, 1), "{:?}", report.notes);
    assert_eq!(verify(&store, false), Ok(Vec::new()), "it was put again");
    let left = trim(&store, 10_000).expect("it may be removed");
    assert!(left.left_bytes <= 10_000 && left.removed > 0, "{left:?}");
    assert_eq!(summary(&store).expect("it can be listed").bytes(), left.left_bytes);
    check(&place, &server.cache(CacheMode::Write));
    assert_eq!(check(&place, &server.cache(CacheMode::Read)).cached, COUNT, "all is there again");
}

#[test]
fn a_client_with_a_wrong_secret_reads_and_writes_nothing() {
    let (server, place) = (Server::start(0), project());
    check(&place, &server.cache(CacheMode::Write));
    let before = count(server.root.path());
    for mode in [CacheMode::Read, CacheMode::Write] {
        let cache = TeamCache::new(Arc::new(server.store("a guess")), mode);
        let report = check(&place, &cache);
        assert_eq!((report.compiled, report.cached), (COUNT, 0), "{:?}", report.notes);
        assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
        assert!(report.notes[0].contains("left out for the rest"), "{}", report.notes[0]);
    }
    assert_eq!(count(server.root.path()), before, "nothing was written");
    println!("objects: compiled though the signature was refused: {} resources", 2 * COUNT);
}

#[test]
fn a_server_that_is_gone_costs_a_note() {
    let place = project();
    let server = Server::start(0);
    let address = server.address;
    check(&place, &server.cache(CacheMode::Write));
    // The port is closed; another process that gets it would not answer as S3 does.
    drop(server);
    for mode in [CacheMode::Read, CacheMode::Write] {
        let mut cache = TeamCache::new(Arc::new(store(address, SECRET)), mode);
        cache.set_timeout(Duration::from_millis(50));
        let report = check(&place, &cache);
        assert_eq!((report.compiled, report.notes.len()), (COUNT, 1), "{:?}", report.notes);
    }
    println!("objects: compiled though the server was gone: {} resources", 2 * COUNT);
}
