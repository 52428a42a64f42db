//! How large a monitor is.

/// How large a monitor is. What is beyond is refused or counted, never allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Blocks of 64 KiB in the global buffer, 2 at least.
    pub blocks: u32,
    /// Threads that record at one time, 1 at least.
    pub threads: u32,
    /// Names that are made at run time, names of threads included; 2^30 at most.
    pub names: u32,
}

impl Default for Options {
    /// 4 MiB for events, 64 threads, 512 names.
    fn default() -> Self {
        Self { blocks: 64, threads: 64, names: 512 }
    }
}
