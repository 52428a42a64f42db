//! What the recorder needs of the C library and the kernel, with the numbers of Linux on x86-64.
//!
//! Declared here, since a library that is compiled by `rustc` alone has no crates.

use core::ffi::{c_char, c_int, c_long, c_void};

pub(crate) const O_RDONLY: c_int = 0;
pub(crate) const O_WRONLY: c_int = 1;
pub(crate) const O_RDWR: c_int = 2;
pub(crate) const O_CREAT: c_int = 0o100;
pub(crate) const O_EXCL: c_int = 0o200;
pub(crate) const O_CLOEXEC: c_int = 0o2_000_000;
pub(crate) const PROT_READ_WRITE: c_int = 3;
pub(crate) const MAP_SHARED: c_int = 1;
pub(crate) const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
pub(crate) const MADV_DONTFORK: c_int = 10;
pub(crate) const MADV_WIPEONFORK: c_int = 18;
pub(crate) const MADV_POPULATE_WRITE: c_int = 23;
pub(crate) const RLIMIT_FSIZE: c_int = 1;
pub(crate) const CLOCK_MONOTONIC: c_int = 1;
pub(crate) const ENOMEM: c_int = 12;
pub(crate) const EEXIST: c_int = 17;
pub(crate) const EINVAL: c_int = 22;
pub(crate) const EFAULT: c_int = 14;
pub(crate) const RTLD_NEXT: *mut c_void = core::ptr::without_provenance_mut(usize::MAX);

/// A time, as the kernel gives it.
#[repr(C)]
pub(crate) struct Timespec {
    pub(crate) seconds: c_long,
    pub(crate) nanoseconds: c_long,
}

/// A limit, as the kernel gives it.
#[repr(C)]
pub(crate) struct Limit {
    pub(crate) now: u64,
    pub(crate) most: u64,
}

#[link(name = "c")]
unsafe extern "C" {
    pub(crate) safe fn abort() -> !;
    pub(crate) fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub(crate) fn mmap(
        at: *mut c_void,
        bytes: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub(crate) fn munmap(at: *mut c_void, bytes: usize) -> c_int;
    pub(crate) fn madvise(at: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    pub(crate) fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    pub(crate) fn close(file: c_int) -> c_int;
    pub(crate) fn read(file: c_int, buffer: *mut c_void, bytes: usize) -> isize;
    pub(crate) fn write(file: c_int, buffer: *const c_void, bytes: usize) -> isize;
    pub(crate) fn ftruncate(file: c_int, bytes: i64) -> c_int;
    pub(crate) fn getrlimit(resource: c_int, limit: *mut Limit) -> c_int;
    pub(crate) safe fn getpid() -> c_int;
    pub(crate) fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    pub(crate) fn backtrace(addresses: *mut *mut c_void, most: c_int) -> c_int;
    safe fn __errno_location() -> *mut c_int;
}

/// Returns the calling thread's error number.
pub(crate) fn errno() -> c_int {
    // SAFETY: the C library returns the address of the thread's own number, which is live.
    unsafe { *__errno_location() }
}

/// Sets it.
pub(crate) fn set_errno(number: c_int) {
    // SAFETY: as above; nothing holds a reference to it.
    unsafe { *__errno_location() = number };
}

/// Returns nanoseconds of the monotonic clock.
pub(crate) fn now_ns() -> u64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the pointer is that of a live value of the type that is filled in.
    unsafe { clock_gettime(CLOCK_MONOTONIC, &raw mut time) };
    (time.seconds as u64) * 1_000_000_000 + time.nanoseconds as u64
}

/// An open file, closed at the end of its scope.
pub(crate) struct File(pub(crate) c_int);

impl File {
    /// Opens the file of a name that ends with a zero.
    pub(crate) fn open(path: &[u8], flags: c_int) -> Option<Self> {
        if path.last() != Some(&0) {
            return None;
        }
        // SAFETY: the name is live and ends with a zero; the mode is passed, where flags ask for
        // one.
        let file = unsafe { open(path.as_ptr().cast(), flags | O_CLOEXEC, 0o600_u32) };
        (file >= 0).then(|| Self(file))
    }

    /// Reads some bytes; 0 at the end and after an error.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> usize {
        // SAFETY: pointer and length are those of a live slice that is ours.
        let read = unsafe { read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        usize::try_from(read).unwrap_or(0)
    }

    /// Writes a few bytes; returns whether all were taken.
    pub(crate) fn write(&self, bytes: &[u8]) -> bool {
        // SAFETY: pointer and length are those of a live slice.
        let written = unsafe { write(self.0, bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(written) == Ok(bytes.len())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the file is ours and is not used afterwards.
        unsafe { close(self.0) };
    }
}

/// A file, byte by byte.
pub(crate) struct Bytes {
    file: File,
    piece: [u8; 1024],
    at: usize,
    filled: usize,
}

impl Bytes {
    /// Opens the file of a name that ends with a zero.
    pub(crate) fn open(path: &[u8]) -> Option<Self> {
        let file = File::open(path, O_RDONLY)?;
        Some(Self { file, piece: [0; 1024], at: 0, filled: 0 })
    }

    /// Returns the next byte and stays before it.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        if self.at == self.filled {
            self.filled = self.file.read(&mut self.piece);
            self.at = 0;
        }
        self.piece[..self.filled].get(self.at).copied()
    }

    /// Returns the next byte.
    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }
}
