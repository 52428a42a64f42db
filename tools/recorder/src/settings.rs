//! What `loligo record` asks for, from the environment that the process began with.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::raw::{AFTER_NOTHING, DEPTH_MAX, MAIN_NAME, STACKS_OFF, STARTED_NAME, VARIABLE};
use crate::system::{Bytes, File, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, getpid};

/// The longest path, with its zero.
pub(crate) const PATH_BYTES_MAX: usize = 1024;

/// What is asked for.
pub(crate) struct Settings {
    /// How many records there is room for.
    pub(crate) capacity: u64,
    /// Whether children are recorded, too.
    pub(crate) children: bool,
    /// How stacks are recorded, one of `STACKS_..`.
    pub(crate) stacks: u32,
    /// The most frames of a stack.
    pub(crate) depth: usize,
    /// When the recording begins, one of `AFTER_..`, and the value for it.
    pub(crate) after: u32,
    /// The mark, or the number of calls.
    pub(crate) after_value: u64,
    folder: [u8; PATH_BYTES_MAX],
    folder_bytes: usize,
}

struct Once {
    settings: UnsafeCell<Settings>,
    is_read: AtomicBool,
}

// SAFETY: the settings are written by `begin` alone, which one thread calls at a time, before
// `is_read` is set; afterwards they are only read.
unsafe impl Sync for Once {}

static ONCE: Once = Once {
    settings: UnsafeCell::new(Settings {
        capacity: 0,
        children: false,
        stacks: STACKS_OFF,
        depth: 0,
        after: AFTER_NOTHING,
        after_value: 0,
        folder: [0; PATH_BYTES_MAX],
        folder_bytes: 0,
    }),
    is_read: AtomicBool::new(false),
};

/// Returns the settings, `None` if they are missing or invalid.
///
/// # Safety
///
/// Only one thread calls this at a time.
pub(crate) unsafe fn settings() -> Option<&'static Settings> {
    // Acquire: pairs with the release below.
    if !ONCE.is_read.load(Ordering::Acquire) {
        // SAFETY: by the caller's promise nobody else is here, and nobody reads before `is_read`.
        let settings = unsafe { &mut *ONCE.settings.get() };
        read_environment(settings)?;
        ONCE.is_read.store(true, Ordering::Release);
    }
    // SAFETY: they are not written any more.
    Some(unsafe { &*ONCE.settings.get() })
}

impl Settings {
    /// Writes the path of a file in the folder, with the zero that ends it.
    pub(crate) fn path<'a>(
        &self,
        parts: &[&[u8]],
        path: &'a mut [u8; PATH_BYTES_MAX],
    ) -> Option<&'a [u8]> {
        let mut end = 0;
        for part in
            [&self.folder[..self.folder_bytes], b"/"].into_iter().chain(parts.iter().copied())
        {
            path.get_mut(end..end + part.len())?.copy_from_slice(part);
            end += part.len();
        }
        *path.get_mut(end)? = 0;
        Some(&path[..=end])
    }

    /// Returns `true` if recordings that wait for `loligo record` shall begin.
    pub(crate) fn is_started(&self) -> bool {
        let mut path = [0; PATH_BYTES_MAX];
        let path = self.path(&[STARTED_NAME.as_bytes()], &mut path);
        path.is_some_and(|path| File::open(path, O_RDONLY).is_some())
    }

    /// Returns `true` if this is the process that was asked for: the first one that comes here, and
    /// every program that it becomes by `exec`.
    pub(crate) fn is_main(&self) -> bool {
        let mut path = [0; PATH_BYTES_MAX];
        let Some(path) = self.path(&[MAIN_NAME.as_bytes()], &mut path) else { return false };
        let own = getpid().to_le_bytes();
        if let Some(file) = File::open(path, O_WRONLY | O_CREAT | O_EXCL) {
            return file.write(&own);
        }
        let mut process = [0; 4];
        let Some(file) = File::open(path, O_RDONLY) else { return false };
        file.read(&mut process) == process.len() && process == own
    }
}

/// Reads the process's first environment. It is asked of the kernel: before the C library is set up
/// `getenv` finds nothing, and later the program may have changed what it finds.
fn read_environment(settings: &mut Settings) -> Option<()> {
    let mut bytes = Bytes::open(b"/proc/self/environ\0")?;
    // At the beginning of each variable.
    loop {
        let mut name = VARIABLE.bytes().chain([b'=']);
        let found = loop {
            match (name.next(), bytes.peek()?) {
                (None, _) => break true,
                (Some(wanted), next) if next == wanted => _ = bytes.next(),
                _ => break false,
            }
        };
        if found {
            return read_value(settings, &mut bytes);
        }
        while bytes.next()? != 0 {}
    }
}

fn read_value(settings: &mut Settings, bytes: &mut Bytes) -> Option<()> {
    settings.capacity = number(bytes)?;
    settings.children = number(bytes)? != 0;
    settings.stacks = u32::try_from(number(bytes)?).ok()?;
    settings.depth = usize::try_from(number(bytes)?).ok()?.min(DEPTH_MAX);
    settings.after = u32::try_from(number(bytes)?).ok()?;
    settings.after_value = number(bytes)?;
    let mut end = 0;
    loop {
        match bytes.next()? {
            0 => break,
            byte => *settings.folder.get_mut(end)? = byte,
        }
        end += 1;
    }
    settings.folder_bytes = end;
    (end > 0).then_some(())
}

/// Reads a number and the colon after it.
fn number(bytes: &mut Bytes) -> Option<u64> {
    let mut number = 0_u64;
    loop {
        match bytes.next()? {
            b':' => return Some(number),
            digit @ b'0'..=b'9' => {
                number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            }
            _ => return None,
        }
    }
}
