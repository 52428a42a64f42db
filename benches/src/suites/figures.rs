//! What a run of a suite is reported by.

use core::fmt;
use core::str::FromStr;
use std::fs;

use loligo_replay::suites::Timing;

/// The figures of a process that ran a suite once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// Operations of the run.
    pub(crate) operations: u64,
    /// The time on the wall.
    pub(crate) seconds: f64,
    /// The most memory of the process that was resident at once, without the suite's own.
    pub(crate) peak_kib: u64,
}

impl Figures {
    /// Returns the figures of a run in this process, which has done nothing else.
    ///
    /// # Errors
    ///
    /// A sentence if the system does not state the peak.
    pub(crate) fn of_process(timing: Timing) -> Result<Self, String> {
        let seconds = timing.elapsed.as_secs_f64();
        let peak_kib = peak_kib()?.saturating_sub(timing.own_kib);
        Ok(Self { operations: timing.operations, seconds, peak_kib })
    }

    /// Returns millions of operations a second.
    pub(crate) fn rate_millions(&self) -> f64 {
        self.operations as f64 / self.seconds / 1e6
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operations, seconds, peak_kib } = self;
        let rate = self.rate_millions();
        write!(
            f,
            "operations {operations} seconds {seconds:.6} peak_kib {peak_kib} \
             millions_a_second {rate:.2}"
        )
    }
}

impl FromStr for Figures {
    type Err = String;

    /// Reads a line that ends as `Display` writes it.
    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace().skip_while(|word| *word != "operations");
        let mut value = |name: &str| {
            let found = words.next().filter(|word| *word == name).and_then(|_| words.next());
            found.ok_or_else(|| format!("`{line}` has no `{name}`"))
        };
        let operations = value("operations")?.parse().map_err(|_| format!("`{line}`: count"))?;
        let seconds = value("seconds")?.parse().map_err(|_| format!("`{line}`: seconds"))?;
        let peak_kib = value("peak_kib")?.parse().map_err(|_| format!("`{line}`: peak"))?;
        Ok(Self { operations, seconds, peak_kib })
    }
}

/// Returns the peak of resident memory of this program. The peak that `getrusage` returns is not
/// used: it includes that of the process which started this one.
fn peak_kib() -> Result<u64, String> {
    let status = fs::read_to_string("/proc/self/status")
        .map_err(|error| format!("cannot read /proc/self/status: {error}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| "/proc/self/status has no line VmHWM".to_owned())
}

/// Lets the peak of resident memory begin again at what is resident now.
///
/// # Errors
///
/// A sentence if the system refuses.
pub(super) fn reset_peak() -> Result<(), String> {
    // proc(5): since Linux 4.0, 5 resets the peak.
    fs::write("/proc/self/clear_refs", "5")
        .map_err(|error| format!("cannot reset the peak in /proc/self/clear_refs: {error}"))
}

/// Makes the C library unmap its large blocks as soon as they are freed, as a fresh process does.
/// Otherwise it would keep the memory that a suite prepares with, and be measured with it.
pub(super) fn unmap_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// The size that glibc starts with. Stated by a call, it does not grow.
        const THRESHOLD_BYTES: libc::c_int = 128 * 1024;
        // SAFETY: the call changes a number. If it is refused, figures of the peak are higher.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, THRESHOLD_BYTES) };
    }
}
