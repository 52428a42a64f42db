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
mod input;
mod lexer;
mod limits;
mod math;
mod operands;
mod operation;
mod parser;
mod print;
mod scalar;
mod symbols;
mod tree;
mod verify;
mod word;

pub use batch::{BatchStack, LANES};
pub use bytecode::Bytecode;
pub use error::{CompileError, CompileErrorKind};
pub use expression::Expression;
pub use image::{FORMAT_VERSION, ImageError};
pub use input::Input;
pub use limits::{DEPTH_MAX, NODES_MAX, SOURCE_BYTES_MAX, WORDS_MAX};
pub use symbols::{ARGUMENTS_MAX, Function, Symbols};
pub use verify::{BytecodeError, BytecodeErrorKind};
