//! Bytecode as bytes: saved with other data, and verified when it is opened again.
//!
//! ```text
//! u32 | "LX" and the version | fingerprint of the names | words ..      little endian
//! ```

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::bytecode::Bytecode;
use crate::expression::Expression;
use crate::limits::WORDS_MAX;
use crate::symbols::Symbols;
use crate::verify::{BytecodeError, verify};

/// The version of the bytecode, which saved bytes begin with.
pub const FORMAT_VERSION: u16 = 1;

/// The first word of saved bytes.
const HEAD: u32 = 0x584c_0000 | FORMAT_VERSION as u32;

/// Saved bytes were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageError {
    /// They are not whole words, or too few or too many.
    Length(usize),
    /// They are not a saved expression, or one of another version.
    Head(u32),
    /// They were saved with other variables or functions.
    Names {
        /// The fingerprint of the names that they were saved with.
        found: u32,
        /// That of the names there are.
        expected: u32,
    },
    /// The bytecode is damaged.
    Bytecode(BytecodeError),
    /// There is no memory for it.
    Memory(GrowError),
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(bytes) => write!(f, "{bytes} bytes are no saved expression"),
            Self::Head(head) => write!(
                f,
                "the bytes begin with {head:#010x}, an expression of this version with {HEAD:#010x}; \
                 compile the source again"
            ),
            Self::Names { found, expected } => write!(
                f,
                "the expression was compiled with other variables or functions ({found:#010x}, \
                 not {expected:#010x}); compile the source again"
            ),
            Self::Bytecode(error) => write!(f, "{error}"),
            Self::Memory(error) => write!(f, "{error}"),
        }
    }
}

impl Error for ImageError {}

impl Bytecode<'_> {
    /// Appends the bytecode to `bytes`, with a head that holds the version and a hash of the names.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has been appended then.
    pub fn try_save<A: Allocator + ?Sized>(
        &self,
        symbols: &Symbols<'_>,
        bytes: &mut Array<'_, u8, A>,
    ) -> Result<(), GrowError> {
        bytes.try_reserve(4 * (self.words().len() + 2))?;
        let head = [HEAD, symbols.fingerprint()];
        for word in head.iter().chain(self.words()) {
            bytes.try_extend_from_slice(&word.to_le_bytes())?;
        }
        Ok(())
    }
}

impl<'a> Expression<'a> {
    /// Opens what [`Bytecode::try_save`] wrote. Nothing in the bytes is believed.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`ImageError`].
    pub fn try_load(
        bytes: &[u8],
        symbols: &Symbols<'a>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, ImageError> {
        Self::try_load_in(bytes, symbols, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Expression<'a, A> {
    /// As [`try_load`](Self::try_load), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_load`](Self::try_load).
    pub fn try_load_in(
        bytes: &[u8],
        symbols: &Symbols<'a>,
        memory: &'a A,
    ) -> Result<Self, ImageError> {
        let (words, rest) = bytes.as_chunks::<4>();
        let [head, names, code @ ..] = words else { return Err(ImageError::Length(bytes.len())) };
        if !rest.is_empty() || code.len() > WORDS_MAX {
            return Err(ImageError::Length(bytes.len()));
        }
        let (head, found) = (u32::from_le_bytes(*head), u32::from_le_bytes(*names));
        if head != HEAD {
            return Err(ImageError::Head(head));
        }
        let expected = symbols.fingerprint();
        if found != expected {
            return Err(ImageError::Names { found, expected });
        }
        let mut words =
            Array::try_with_capacity_in(code.len(), memory).map_err(ImageError::Memory)?;
        let code = code.iter().map(|bytes| u32::from_le_bytes(*bytes));
        words.try_extend(code).map_err(ImageError::Memory)?;
        let needs = verify(&words, symbols).map_err(ImageError::Bytecode)?;
        Ok(Self::of(words, symbols.functions, needs.depth, needs.variables))
    }
}
