//! Which library each call came from: copies of `/proc/self/maps` for the lookup of names.
//!
//! A copy is taken at the first call and whenever a call comes from a place that none of the
//! libraries known so far holds, so that what a program opens later has names, too.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::raw::{MAPS_AT, MAPS_BYTES, MAPS_USED_AT};
use crate::run::{decimal, put};
use crate::system::{Bytes, File, O_RDONLY};

/// Pages of code that calls came from; more are taken for known.
const PAGES: usize = 1 << 14;

/// The number of places where a page can be stored.
const PROBES: usize = 8;

/// Ranges of code; more are not known, and cost a copy each.
const RANGES: usize = 1024;

/// A program that makes code as it runs shall not be held up by copies.
const COPIES_MAX: u32 = 64;

/// Of these, the copies for the frames of stacks, which may be no code at all.
const FRAME_COPIES_MAX: u32 = 8;

/// How far below the end of the first thread's stack no other memory is mapped: the kernel leaves
/// at least 128 MiB for it.
const FIRST_STACK_BYTES: usize = 100 << 20;

/// What is known. All zeros is an empty one.
///
/// # Invariants
///
/// 1. `books` is touched only by the thread that has set `is_busy` and has not reset it.
#[repr(C)]
pub(crate) struct Maps {
    pages: [AtomicU64; PAGES],
    is_busy: AtomicBool,
    books: UnsafeCell<Books>,
}

#[repr(C)]
struct Books {
    ranges: [(u64, u64); RANGES],
    count: usize,
    copies: u32,
    frame_copies: u32,
    used: usize,
}

impl Maps {
    /// Returns `true` if a call came from this page of code before.
    pub(crate) fn has_seen(&self, site: u64) -> bool {
        let page = site >> 12;
        // Relaxed: the table holds numbers that refer to no other memory.
        self.places(page).any(|place| place.load(Ordering::Relaxed) == page)
    }

    /// Learns where a call came from; takes a copy of the maps if it is not from one of the known
    /// libraries.
    ///
    /// `base` is the recording's map, `ticket` that of the call.
    #[cold]
    pub(crate) fn look(&self, base: *mut u8, ticket: u64, site: u64) {
        // Acquire: pairs with the release at the end. The second thread leaves it for the next
        // call.
        if self.is_busy.swap(true, Ordering::Acquire) {
            return;
        }
        // SAFETY: invariant 1.
        let books = unsafe { &mut *self.books.get() };
        if !books.has(site) && books.copies < COPIES_MAX {
            books.copies += 1;
            books.copy(base, ticket);
        }
        self.enter(site >> 12);
        self.is_busy.store(false, Ordering::Release);
    }

    /// Returns `true` if an address is in code, or if another thread is looking just now. Takes a
    /// copy of the maps as [`look`](Self::look) does, but not as often.
    pub(crate) fn is_code(&self, base: *mut u8, ticket: u64, address: u64) -> bool {
        self.has_seen(address) || self.look_at_frame(base, ticket, address)
    }

    #[cold]
    fn look_at_frame(&self, base: *mut u8, ticket: u64, address: u64) -> bool {
        // Acquire: as in `look`.
        if self.is_busy.swap(true, Ordering::Acquire) {
            return true;
        }
        // SAFETY: invariant 1.
        let books = unsafe { &mut *self.books.get() };
        let may_copy = books.frame_copies < FRAME_COPIES_MAX && books.copies < COPIES_MAX;
        if !books.has(address) && may_copy {
            books.copies += 1;
            books.frame_copies += 1;
            books.copy(base, ticket);
        }
        let is_code = books.has(address);
        if is_code {
            self.enter(address >> 12);
        }
        self.is_busy.store(false, Ordering::Release);
        is_code
    }

    /// Enters a page in the first of its places that is free; in the first of all where none is.
    fn enter(&self, page: u64) {
        let free = self.places(page).find(|place| place.load(Ordering::Relaxed) == 0);
        if let Some(place) = free.or_else(|| self.places(page).next()) {
            place.store(page, Ordering::Relaxed);
        }
    }

    fn places(&self, page: u64) -> impl Iterator<Item = &AtomicU64> {
        let first = (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        (0..PROBES).map(move |probe| &self.pages[(first + probe) % PAGES])
    }
}

impl Books {
    fn has(&self, site: u64) -> bool {
        self.ranges[..self.count].iter().any(|&(start, end)| (start..end).contains(&site))
    }

    /// Appends a copy of the lines that name code, and takes their ranges.
    fn copy(&mut self, base: *mut u8, ticket: u64) {
        let Some(file) = File::open(b"/proc/self/maps\0", O_RDONLY) else { return };
        // SAFETY: the maps are inside the recording's map.
        let at = unsafe { base.add(MAPS_AT) };
        // SAFETY: as above; by invariant 1 of `Maps` nobody else in this process touches them. The
        // kernel writes first, and refuses instead of a fault where there is no room on the disk.
        let room = unsafe { core::slice::from_raw_parts_mut(at, MAPS_BYTES) };
        // Only what the kernel has written before can be written by hand; so the first line, too,
        // is put there after the first read, over what is left free for it.
        let start = self.used;
        let Some(rest) = room.get_mut(start + HEAD_BYTES..) else { return };
        let mut filled = 0;
        loop {
            let read = file.read(&mut rest[filled..]);
            filled += read;
            if read == 0 {
                break;
            }
        }
        if filled == 0 {
            return;
        }
        self.count = 0;
        let kept = self.keep_code(&mut rest[..filled]);
        head(ticket, &mut room[start..start + HEAD_BYTES]);
        self.used = start + HEAD_BYTES + kept;
        put(base, MAPS_USED_AT, self.used as u64);
    }

    /// Moves the lines that name code to the front, takes their ranges, and returns their length.
    fn keep_code(&mut self, text: &mut [u8]) -> usize {
        let mut kept = 0;
        let mut at = 0;
        while let Some(length) = text[at..].iter().position(|&byte| byte == b'\n') {
            let end = at + length + 1;
            if let Some(range) = code_range(&text[at..end]) {
                if let Some(place) = self.ranges.get_mut(self.count) {
                    *place = range;
                    self.count += 1;
                }
                text.copy_within(at..end, kept);
                kept += end - at;
            }
            at = end;
        }
        kept
    }
}

/// Returns start and end of the stack that `at` is on, if it is a thread's own: that of the first
/// thread, by its name, or one that ends at the thread's control block.
pub(crate) fn stack_with(at: usize, control_block: usize) -> Option<(usize, usize)> {
    let mut bytes = Bytes::open(b"/proc/self/maps\0")?;
    let name = *b"[stack]";
    loop {
        let start = usize::try_from(hex(&mut bytes, b'-')?).ok()?;
        let end = usize::try_from(hex(&mut bytes, b' ')?).ok()?;
        // The last characters of the line.
        let mut last = [0; 7];
        loop {
            match bytes.next()? {
                b'\n' => break,
                byte => {
                    last.copy_within(1.., 0);
                    last[6] = byte;
                }
            }
        }
        if !(start..end).contains(&at) {
            continue;
        }
        if last == name {
            return Some((end.checked_sub(FIRST_STACK_BYTES)?, end));
        }
        return (at..end).contains(&control_block).then_some((start, control_block));
    }
}

/// Reads a hexadecimal number and the byte after it.
fn hex(bytes: &mut Bytes, until: u8) -> Option<u64> {
    let mut number = 0_u64;
    loop {
        match bytes.next()? {
            byte if byte == until => return Some(number),
            byte => number = number << 4 | u64::from((byte as char).to_digit(16)?),
        }
    }
}

/// Bytes of the line before each copy: `@`, the ticket, and the end of the line.
const HEAD_BYTES: usize = 22;

fn head(ticket: u64, line: &mut [u8]) {
    let mut digits = [b'0'; 20];
    decimal(ticket, &mut digits);
    line[0] = b'@';
    line[1..21].copy_from_slice(&digits);
    line[21] = b'\n';
}

/// Returns the range of a line like `start-end rwxp offset device inode path` if it may be
/// executed.
fn code_range(line: &[u8]) -> Option<(u64, u64)> {
    let mut at = 0;
    let mut hex = |until: u8| {
        let mut number = 0_u64;
        loop {
            let byte = *line.get(at)?;
            at += 1;
            if byte == until {
                return Some(number);
            }
            number = number << 4 | u64::from((byte as char).to_digit(16)?);
        }
    };
    let range = (hex(b'-')?, hex(b' ')?);
    (line.get(at + 2) == Some(&b'x')).then_some(range)
}
