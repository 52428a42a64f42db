//! How large sources and bytecode can be.

/// The bytes of the longest source.
pub const SOURCE_BYTES_MAX: usize = 1 << 16;

/// The values and operators of the longest expression.
pub const NODES_MAX: usize = 4_096;

/// The most values on the stack.
pub const DEPTH_MAX: usize = 64;

/// The most words of bytecode.
pub const WORDS_MAX: usize = 2 * NODES_MAX + 1;
