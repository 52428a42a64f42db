//! A tiny expression language.
#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(any(feature = "std", test))]
extern crate std;

mod batch;
mod bytecode;
mod emit;
mod error;
mod expression;
mod float;
mod image;
mod lexer;
mod math;
mod operands;
mod operation;
mod parser;
mod print;
mod scalar;
mod symbols;
mod tree;
mod verify;

pub use batch::{BatchStack, Input, LANES};
pub use bytecode::{Bytecode, DEPTH_MAX, WORDS_MAX};
pub use error::{CompileError, CompileErrorKind, NODES_MAX, SOURCE_BYTES_MAX};
pub use expression::Expression;
pub use image::{FORMAT_VERSION, ImageError};
pub use symbols::{ARGUMENTS_MAX, Function, Symbols};
pub use verify::{BytecodeError, BytecodeErrorKind};
