//! Warnings: something is wrong, probably, and the program goes on.
//!
//! After Niklas Frykholm, "Sensible Error Handling: Part 1" (2012), which distinguishes them from
//! errors. Change: each place in the source counts its own, so that a warning in a loop is shown a
//! few times and counted in full.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Writes a warning to a log: the first of this place in the source, the tenth, the hundredth and
/// so on, each with how many there were; counts all.
///
/// `warning!(LOG, "message", ..)`. The arguments are looked at only if it is written. What is
/// written names the contexts.
///
/// # Complexity
///
/// An atomic addition, where it is not written.
///
/// # Memory
///
/// 64 bytes a place, static.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_diagnostics::{Log, warning, warnings_counted};
///
/// let pages = PageAllocator::new("log");
/// let log = Log::try_new(&pages).unwrap();
/// for name in ["feathers", "beak", "eye"] {
///     warning!(log, "the material {name} has no texture"); // the log gets the first
/// }
/// assert_eq!((warnings_counted(), log.lines()), (3, 1));
/// ```
#[macro_export]
macro_rules! warning {
    ($log:expr, $message:literal $($arguments:tt)*) => {{
        static SITE: $crate::WarningSite = $crate::WarningSite::new($message, file!(), line!());
        if let Some(count) = SITE.count_one() {
            SITE.write(count, &$log, format_args!($message $($arguments)*));
        }
    }};
}

/// A place in the source that warns.
#[derive(Debug)]
pub struct WarningSite {
    message: &'static str,
    file: &'static str,
    line: u32,
    count: AtomicU64,
    /// The place that warned first before this one did; set when this one first warns.
    before: OnceLock<Option<&'static WarningSite>>,
}

impl WarningSite {
    /// Returns a place that has not warned yet. [`warning!`](crate::warning) makes them.
    #[must_use]
    pub const fn new(message: &'static str, file: &'static str, line: u32) -> Self {
        Self { message, file, line, count: AtomicU64::new(0), before: OnceLock::new() }
    }

    /// Returns the message, with its arguments still open.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        self.message
    }

    /// Returns the source file.
    #[must_use]
    pub const fn file(&self) -> &'static str {
        self.file
    }

    /// Returns the line in that file.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }

    /// Returns how often it has warned.
    #[must_use]
    pub fn count(&self) -> u64 {
        // Relaxed: it counts and orders nothing.
        self.count.load(Ordering::Relaxed)
    }

    /// Counts a warning; returns how many there are if this one is to be shown.
    #[inline]
    pub fn count_one(&'static self) -> Option<u64> {
        // Relaxed: as above. Each call gets a distinct count, so exactly one of them is the tenth.
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        is_shown(count).then(|| self.enlist(count))
    }

    /// Writes one that is to be shown.
    #[cold]
    #[inline(never)]
    pub fn write<A: loligo_allocators::Allocator + ?Sized>(
        &self,
        count: u64,
        log: &crate::Log<'_, A>,
        message: fmt::Arguments<'_>,
    ) {
        log.write(crate::Level::Warning, format_args!("{message}{}", Behind { site: self, count }));
    }

    /// Takes it among those that have warned.
    #[cold]
    fn enlist(&'static self, count: u64) -> u64 {
        if count == 1 {
            let mut last = last();
            // It is set once: only one warning is the first.
            let _ = self.before.set(*last);
            *last = Some(self);
        }
        count
    }
}

/// Returns `true` if the warning with this number is shown: powers of ten are.
fn is_shown(count: u64) -> bool {
    count == 1 || (count.is_multiple_of(10) && 10_u64.pow(count.ilog10()) == count)
}

/// The text after the message: how many there were, where, and in which contexts.
struct Behind<'b> {
    site: &'b WarningSite,
    count: u64,
}

impl fmt::Display for Behind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " ({}:{}", self.site.file, self.site.line)?;
        if self.count > 1 {
            write!(f, ", {} times so far", self.count)?;
        }
        crate::contexts().each_line(|line| write!(f, "; {line}"))?;
        f.write_str(")")
    }
}

/// The place that was the last to warn for the first time.
static LAST: Mutex<Option<&'static WarningSite>> = Mutex::new(None);

fn last() -> MutexGuard<'static, Option<&'static WarningSite>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the places that have warned, the latest first.
#[must_use]
pub fn warnings() -> Warnings {
    Warnings { next: *last() }
}

/// Returns how many warnings there were, shown or not.
///
/// # Complexity
///
/// O(n) for n places that have warned.
#[must_use]
pub fn warnings_counted() -> u64 {
    warnings().map(WarningSite::count).sum()
}

/// The places that have warned, the latest first.
#[derive(Clone, Debug)]
pub struct Warnings {
    next: Option<&'static WarningSite>,
}

impl Iterator for Warnings {
    type Item = &'static WarningSite;

    fn next(&mut self) -> Option<Self::Item> {
        let site = self.next?;
        self.next = site.before.get().copied().flatten();
        Some(site)
    }
}

/// How many places a report lists.
const LISTED_MAX: usize = 20;

/// Writes the part of a report about warnings.
pub(crate) fn write_all(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let places = warnings().count();
    if places == 0 {
        return Ok(());
    }
    writeln!(f, "Warnings so far: {}; by place, the latest first:", warnings_counted())?;
    for site in warnings().take(LISTED_MAX) {
        writeln!(f, "    {} x {}:{}: {}", site.count(), site.file, site.line, site.message)?;
    }
    match places.saturating_sub(LISTED_MAX) {
        0 => Ok(()),
        more => writeln!(f, "    .. and {more} places more"),
    }
}

#[cfg(test)]
mod tests;
