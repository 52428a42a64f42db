//! Notice from the system that something in a folder was saved, where the system gives it. Without,
//! a look at all sources finds it, later.

#[cfg(target_os = "linux")]
use core::cell::{Cell, RefCell};
use core::time::Duration;
use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::collections::HashMap;
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fd::OwnedFd;

/// What was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Saved {
    /// Nothing.
    Nothing,
    /// Files that were there before have new contents, as far as the system says.
    Files(BTreeSet<String>),
    /// Something else: files or folders have come or gone, or notices were lost.
    Anything,
}

impl Saved {
    /// Returns what was saved in all.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, saved) | (saved, Self::Nothing) => saved,
            (Self::Files(mut files), Self::Files(more)) => {
                files.extend(more);
                Self::Files(files)
            }
            _ => Self::Anything,
        }
    }
}

/// What the system says of folders.
#[derive(Debug)]
pub(super) struct Notices {
    /// Without memory for it, or where the system has no more, there is none.
    #[cfg(target_os = "linux")]
    inotify: Option<OwnedFd>,
    /// The folders by the system's numbers: what a path in the project begins with.
    #[cfg(target_os = "linux")]
    folders: RefCell<HashMap<i32, String>>,
    /// Whether all folders are listened to.
    #[cfg(target_os = "linux")]
    is_complete: Cell<bool>,
}

#[cfg(target_os = "linux")]
impl Notices {
    /// Begins to listen, to no folder yet.
    pub(super) fn new() -> Self {
        use rustix::fs::inotify::{CreateFlags, init};
        Self {
            inotify: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok(),
            folders: RefCell::default(),
            is_complete: Cell::new(false),
        }
    }

    /// Listens to a folder and all in it, but for hidden ones and `without`; once more where it does
    /// already, since there may be new ones. Links are not followed.
    pub(super) fn listen_to(&self, folder: &Path, without: &Path) {
        use rustix::fs::inotify::{WatchFlags, add_watch};
        let flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO;
        let Some(inotify) = &self.inotify else { return };
        let mut is_complete = true;
        let mut open = vec![(folder.to_owned(), String::new())];
        while let Some((folder, prefix)) = open.pop() {
            // Of a folder that cannot be listened to, looks find what is saved.
            match add_watch(inotify, &folder, flags) {
                Ok(number) => _ = self.folders.borrow_mut().insert(number, prefix.clone()),
                Err(_) => is_complete = false,
            }
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let name = entry.file_name();
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                let path = entry.path();
                if is_folder && !is_hidden && path != without {
                    open.push((path, format!("{prefix}{}/", name.to_string_lossy())));
                }
            }
        }
        self.is_complete.set(is_complete);
    }

    /// Returns whether all folders are listened to.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete.get()
    }

    /// Returns whether there is notice that [`wait`](Self::wait) has not taken yet.
    pub(super) fn is_waiting(&self) -> bool {
        self.inotify.as_ref().is_some_and(|inotify| has_notice(inotify, Duration::ZERO))
    }

    /// Waits until something was saved, or for a time; returns what was.
    pub(super) fn wait(&self, limit: Duration) -> Saved {
        use core::mem::MaybeUninit;
        use rustix::fs::inotify::Reader;
        let Some(inotify) = &self.inotify else {
            std::thread::sleep(limit);
            return Saved::Nothing;
        };
        if !has_notice(inotify, limit) {
            return Saved::Nothing;
        }
        // All that is waiting is taken. Hidden files are those of editors.
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(inotify, &mut buffer);
        let mut saved = Saved::Nothing;
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(core::ffi::CStr::to_bytes);
            if name.is_none_or(|name| !name.starts_with(b".")) {
                saved = saved.and(self.saved_by(event.wd(), event.events(), name));
            }
        }
        saved
    }

    /// Returns what an event says.
    fn saved_by(
        &self,
        number: i32,
        events: rustix::fs::inotify::ReadFlags,
        name: Option<&[u8]>,
    ) -> Saved {
        use rustix::fs::inotify::ReadFlags;
        // A file that takes the place of another is saved as well, by programs that write another
        // name first.
        let is_content = events.intersects(ReadFlags::CLOSE_WRITE | ReadFlags::MOVED_TO)
            && !events.intersects(ReadFlags::ISDIR | ReadFlags::QUEUE_OVERFLOW);
        let folders = self.folders.borrow();
        let name = name.and_then(|name| core::str::from_utf8(name).ok());
        match (folders.get(&number), name) {
            (Some(folder), Some(name)) if is_content => {
                Saved::Files(BTreeSet::from([format!("{folder}{name}")]))
            }
            _ => Saved::Anything,
        }
    }
}

/// Waits until there is notice, or for a time; returns whether there is.
#[cfg(target_os = "linux")]
fn has_notice(inotify: &OwnedFd, limit: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec::try_from(limit).ok();
    let mut waits = [PollFd::new(inotify, PollFlags::IN)];
    poll(&mut waits, timeout.as_ref()).is_ok_and(|ready| ready > 0)
}

#[cfg(not(target_os = "linux"))]
impl Notices {
    pub(super) const fn new() -> Self {
        Self {}
    }

    pub(super) const fn listen_to(&self, _: &Path, _: &Path) {}

    pub(super) const fn is_complete(&self) -> bool {
        false
    }

    pub(super) const fn is_waiting(&self) -> bool {
        false
    }

    pub(super) fn wait(&self, limit: Duration) -> Saved {
        std::thread::sleep(limit);
        Saved::Nothing
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    /// It comes at once; that it does not is a failure.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_is_saved_is_noticed_also_in_a_folder_that_is_new() {
        let made = tempfile::tempdir().expect("a folder");
        let (folder, data) = (made.path(), made.path().join("data"));
        fs::create_dir(&data).expect("a folder");
        let notices = Notices::new();
        notices.listen_to(folder, &data);
        assert_eq!(notices.wait(Duration::ZERO), Saved::Nothing, "nothing was saved");
        assert!(!notices.is_waiting(), "nothing waits");
        // What is waiting is taken at once, but it comes bit by bit.
        let all = || {
            let mut saved = notices.wait(LONG);
            while let more @ (Saved::Files(_) | Saved::Anything) = notices.wait(Duration::ZERO) {
                saved = saved.and(more);
            }
            saved
        };
        fs::write(folder.join("a.mesh"), "first").expect("it may be written");
        assert!(notices.is_waiting(), "it waits to be taken");
        assert_eq!(all(), Saved::Anything, "a file that is new");
        fs::create_dir_all(folder.join("far/away")).expect("a folder");
        assert_eq!(all(), Saved::Anything, "a folder");
        notices.listen_to(folder, &data);
        assert!(notices.is_complete(), "all are listened to");
        fs::write(folder.join("far/away/b.mesh"), "second").expect("it may be written");
        assert_eq!(all(), Saved::Anything, "a new file in it");
        fs::write(data.join("compiled"), "of no interest").expect("it may be written");
        assert_eq!(notices.wait(Duration::ZERO), Saved::Nothing, "what the compiler writes");
        fs::write(folder.join(".b.mesh.swp"), "an editor's").expect("it may be written");
        assert_eq!(notices.wait(Duration::ZERO), Saved::Nothing, "what is hidden");
        let files =
            |paths: &[&str]| Saved::Files(paths.iter().map(|path| String::from(*path)).collect());
        fs::write(folder.join("far/away/b.mesh"), "third").expect("it may be written");
        fs::write(folder.join("a.mesh"), "third").expect("it may be written");
        assert_eq!(all(), files(&["a.mesh", "far/away/b.mesh"]), "new contents");
        fs::write(folder.join(".a.new"), "fourth").expect("it may be written");
        fs::rename(folder.join(".a.new"), folder.join("a.mesh")).expect("it may be renamed");
        assert_eq!(all(), files(&["a.mesh"]), "one that takes the place of another");
        fs::rename(folder.join("a.mesh"), folder.join("c.mesh")).expect("it may be renamed");
        assert_eq!(all(), Saved::Anything, "a name");
        fs::remove_file(folder.join("c.mesh")).expect("it is there");
        assert_eq!(all(), Saved::Anything, "one that is gone");
    }
}
