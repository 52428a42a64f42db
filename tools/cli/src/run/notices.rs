//! Notice from the system that something in a folder was saved, where the system gives it. Without,
//! a look at all sources finds it, later.

use core::time::Duration;
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fd::OwnedFd;

/// What the system says of folders.
#[derive(Debug)]
pub(super) struct Notices {
    /// Without memory for it, or where the system has no more, there is none.
    #[cfg(target_os = "linux")]
    inotify: Option<OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Notices {
    /// Begins to listen, to no folder yet.
    pub(super) fn new() -> Self {
        use rustix::fs::inotify::{CreateFlags, init};
        Self { inotify: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok() }
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
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            // Of a folder that cannot be listened to, looks find what is saved.
            let _ = add_watch(inotify, &folder, flags);
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                let path = entry.path();
                if is_folder && !is_hidden && path != without {
                    open.push(path);
                }
            }
        }
    }

    /// Waits until something was saved, or for so long; returns whether anything was.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        use core::mem::MaybeUninit;
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::fs::inotify::Reader;
        let Some(inotify) = &self.inotify else {
            std::thread::sleep(limit);
            return false;
        };
        let timeout = Timespec::try_from(limit).ok();
        let mut waits = [PollFd::new(inotify, PollFlags::IN)];
        if !poll(&mut waits, timeout.as_ref()).is_ok_and(|ready| ready > 0) {
            return false;
        }
        // All that is waiting is taken. Which file it is does not matter, as long as it may be a
        // source: hidden ones are those of editors.
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(inotify, &mut buffer);
        let mut is_saved = false;
        while let Ok(event) = reader.next() {
            is_saved |= event.file_name().is_none_or(|name| !name.to_bytes().starts_with(b"."));
        }
        is_saved
    }
}

#[cfg(not(target_os = "linux"))]
impl Notices {
    pub(super) const fn new() -> Self {
        Self {}
    }

    pub(super) const fn listen_to(&self, _: &Path, _: &Path) {}

    pub(super) fn wait(&self, limit: Duration) -> bool {
        std::thread::sleep(limit);
        false
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
        assert!(!notices.wait(Duration::ZERO), "nothing was saved");
        fs::write(folder.join("a.mesh"), "first").expect("it may be written");
        assert!(notices.wait(LONG), "a file");
        fs::create_dir_all(folder.join("far/away")).expect("a folder");
        assert!(notices.wait(LONG), "a folder");
        notices.listen_to(folder, &data);
        fs::write(folder.join("far/away/b.mesh"), "second").expect("it may be written");
        assert!(notices.wait(LONG), "a file in it");
        fs::write(data.join("compiled"), "of no interest").expect("it may be written");
        assert!(!notices.wait(Duration::ZERO), "what the compiler writes");
        fs::write(folder.join(".b.mesh.swp"), "an editor's").expect("it may be written");
        assert!(!notices.wait(Duration::ZERO), "what is hidden");
        fs::rename(folder.join("a.mesh"), folder.join("c.mesh")).expect("it may be renamed");
        assert!(notices.wait(LONG), "a name");
    }
}
