//! A project of 100 000 resources, compiled again and again by one thread.

mod seen;

use core::num::NonZeroUsize;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use loligo_compiler::{CompileSession, Compilers, Project, Threads};
use tempfile::TempDir;

use crate::clock;
use crate::contender::{Contender, Pass};

pub(crate) use seen::seen;

/// How many resources there are.
const RESOURCES: usize = 100_000;

/// How many are in a folder.
const FOLDER: usize = 200;

/// The one that is edited.
const EDITED: &str = "folder_0/unit_7.config";

/// Returns compiles that find nothing changed, of a process that begins: a pass is a compile.
pub(crate) fn unchanged() -> Contender {
    let place = project();
    let (compilers, threads) = (Compilers::built_in(), one());
    Contender::new("ours", move || {
        let project = named(&place, &compilers);
        let compile = || project.compile(&threads).expect("it can be read").compiled;
        let mut compiled = 0;
        let ns = clock::time(|| compiled = compile());
        assert_eq!(compiled, 0, "nothing has changed");
        Pass { ns, operations: 1 }
    })
}

/// Returns compiles of one edited file in a session, of which the system gives notice.
pub(crate) fn edited() -> Contender {
    let (ask, asked) = sync_channel::<()>(0);
    let (answer, answers) = sync_channel(0);
    // A session borrows its project, so a thread has both, and removes the folder in the end.
    let session = SessionThread {
        thread: Some(thread::spawn(move || edit(&asked, &answer))),
        ask: Some(ask),
    };
    Contender::new("ours", move || {
        let ask = session.ask.as_ref().expect("it is there until it is dropped");
        ask.send(()).expect("the session waits for it");
        answers.recv().expect("the session answers")
    })
}

/// A thread that compiles for each message, until there are no more.
struct SessionThread {
    thread: Option<JoinHandle<()>>,
    ask: Option<SyncSender<()>>,
}

impl Drop for SessionThread {
    fn drop(&mut self) {
        self.ask = None;
        // A panic of it has been printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Edits a file and compiles for each message.
fn edit(asked: &Receiver<()>, answer: &SyncSender<Pass>) {
    let (place, compilers, threads) = (project(), Compilers::built_in(), one());
    let project = named(&place, &compilers);
    let mut session = CompileSession::new(&project);
    session.compile(&threads).expect("it can be read");
    let paths = BTreeSet::from([EDITED.to_owned()]);
    for number in 0_u64.. {
        if asked.recv().is_err() {
            return;
        }
        let file = place.path().join("sources").join(EDITED);
        fs::write(file, format!("changed = {number}\n")).expect("it may be written");
        let mut compiled = 0;
        let ns = clock::time(|| {
            let report = session.compile_changed(&paths, &threads);
            compiled = report.expect("it can be written").compiled;
        });
        assert_eq!(compiled, 1, "one file has changed");
        if answer.send(Pass { ns, operations: 1 }).is_err() {
            return;
        }
    }
}

fn one() -> Threads {
    Threads::new(NonZeroUsize::MIN)
}

/// A clock by which all files are old, so that no pass waits for that.
fn later() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() + 3_600)
}

fn named<'c>(place: &TempDir, compilers: &'c Compilers) -> Project<'c> {
    let (sources, data) = (place.path().join("sources"), place.path().join("data"));
    let mut project = Project::new(&sources, &data, compilers);
    project.set_clock(later);
    project
}

/// Writes the project, and compiles it until a compile has nothing to do.
fn project() -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    generate(&place.path().join("sources"), RESOURCES).expect("it may be written");
    let compilers = Compilers::built_in();
    let project = named(&place, &compilers);
    for expected in [RESOURCES, 0] {
        let report = project.compile(&Threads::default()).expect("it can be written");
        assert_eq!((report.compiled, report.errors.len()), (expected, 0), "all is compiled once");
    }
    place
}

/// Writes settings, every tenth resource a file that is copied, and a package for each folder.
fn generate(sources: &Path, resources: usize) -> io::Result<()> {
    for number in 0..resources {
        let name = format!("folder_{}", number / FOLDER);
        let folder = sources.join(&name);
        if number % FOLDER == 0 {
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("all.package"), format!("config = [ \"{name}/*\" ]\n"))?;
        } else if number % 10 == 0 {
            let bytes = number.to_le_bytes().repeat(64);
            fs::write(folder.join(format!("sound_{number}.data")), bytes)?;
        } else {
            let text = format!(
                "name = \"unit {number}\"\nhealth = {}\nlayers = [ {{ mesh = \"units/{number}\" }} ]\n",
                number % 100
            );
            fs::write(folder.join(format!("unit_{number}.config")), text)?;
        }
    }
    Ok(())
}
