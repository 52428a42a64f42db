//! What this crate knows of LuaJIT's inside, to read arguments in place: the build hands these numbers
//! to the C compiler, which compares them with LuaJIT's headers (`hook.c`).

/// Where a thread's state has the address of the state of all threads.
pub(crate) const GLOBAL: usize = 16;

/// Where a thread's state has the address of the first argument of the function that runs.
pub(crate) const BASE: usize = 32;

/// Where it has the address of the first value that is free.
pub(crate) const TOP: usize = 40;

/// Where the state of all threads has what is handed to the function that allocates.
pub(crate) const MEMORY: usize = 8;

/// Where the type begins in a value that is not a float.
pub(crate) const TYPE_SHIFT: u32 = 47;

/// The types of values without bits, whose lower bits are ones.
pub(crate) const NIL: u64 = u64::MAX >> TYPE_SHIFT;
pub(crate) const FALSE: u64 = NIL - 1;
pub(crate) const TRUE: u64 = NIL - 2;

/// The type of integers, where there are any; values below are floats.
pub(crate) const INTEGER: u64 = NIL - 13;
