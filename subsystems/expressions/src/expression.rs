//! An expression that owns its bytecode.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::batch::BatchStack;
use crate::bytecode::Bytecode;
use crate::emit::emit;
use crate::error::{CompileError, CompileErrorKind};
use crate::input::Input;
use crate::parser::parse;
use crate::print::print;
use crate::symbols::{Function, Symbols};
use crate::verify::verify;

/// A compiled expression.
///
/// # Complexity
///
/// Compiling is O(bytes of the source x names in the tables); running is O(words).
///
/// # Memory
///
/// One block of 4 bytes a word: an operator and its operands take one word each at most, a number
/// two. While it is compiled 16 bytes for each value and operator and 20 for each operator that
/// waits are taken in addition, from the same allocator. Running takes none.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`. Its [`bytecode`](Self::bytecode) may be run on several
/// threads at once.
///
/// # When not to use it
///
/// For what a programmer writes: that is a function. For loops, strings and decisions that do
/// something: that is a script.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_expressions::{Expression, Symbols};
///
/// static MEMORY: StaticHeap<32768> = StaticHeap::new("doc");
/// let symbols = Symbols { variables: &["t"], ..Symbols::default() };
/// let wave = Expression::try_compile("sin(t) + 0.1 * cos(10 * t)", &symbols, &MEMORY)
///     .map_err(|error| println!("{error}"));
/// assert_eq!(wave.map(|wave| wave.run(&[0.0])), Ok(0.1));
/// ```
pub struct Expression<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    words: Array<'a, u32, A>,
    functions: &'a [Function<'a>],
    depth: u32,
    variables: u32,
}

impl<'a> Expression<'a> {
    /// Compiles a source with the names that it may use.
    ///
    /// # Errors
    ///
    /// [`CompileError`]: what is wrong, where, and what to do. All memory has been given back.
    pub fn try_compile<'s>(
        source: &'s str,
        symbols: &Symbols<'a>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, CompileError<'s>>
    where
        'a: 's,
    {
        Self::try_compile_in(source, symbols, memory)
    }

    /// Copies bytecode.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for its words.
    pub fn try_from_bytecode(
        bytecode: Bytecode<'a>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_from_bytecode_in(bytecode, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Expression<'a, A> {
    /// As [`try_compile`](Self::try_compile), and keeps the type of the allocator, so that its
    /// calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_compile`](Self::try_compile).
    pub fn try_compile_in<'s>(
        source: &'s str,
        symbols: &Symbols<'a>,
        memory: &'a A,
    ) -> Result<Self, CompileError<'s>>
    where
        'a: 's,
    {
        let refused = |kind| CompileError { source, offset: 0, bytes: 0, kind };
        let tree = parse(source, symbols, memory)?;
        let words =
            emit(&tree, memory).map_err(|error| refused(CompileErrorKind::Memory(error)))?;
        // What the compiler writes is held to the same proof as what comes from elsewhere.
        match verify(&words, symbols) {
            Ok(needs) => Ok(Self {
                words,
                functions: symbols.functions,
                depth: needs.depth,
                variables: needs.variables,
            }),
            Err(error) => unreachable!("the compiler has written `{source}` wrongly: {error}"),
        }
    }

    /// As [`try_from_bytecode`](Self::try_from_bytecode), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_bytecode`](Self::try_from_bytecode).
    pub fn try_from_bytecode_in(bytecode: Bytecode<'a>, memory: &'a A) -> Result<Self, GrowError> {
        Ok(Self {
            words: Array::try_from_slice_in(bytecode.words(), memory)?,
            functions: bytecode.functions(),
            depth: bytecode.depth() as u32,
            variables: bytecode.variables() as u32,
        })
    }

    /// Joins words that were verified with what the verification found, as invariant 1 of
    /// [`Bytecode`] demands.
    pub(crate) const fn of(
        words: Array<'a, u32, A>,
        functions: &'a [Function<'a>],
        depth: u32,
        variables: u32,
    ) -> Self {
        Self { words, functions, depth, variables }
    }

    /// Returns the bytecode.
    #[inline]
    #[must_use]
    pub const fn bytecode(&self) -> Bytecode<'_> {
        Bytecode::of(self.words.as_slice(), self.functions, self.depth, self.variables)
    }

    /// Returns the value if it is constant: see [`Bytecode::as_constant`].
    #[must_use]
    pub fn as_constant(&self) -> Option<f32> {
        self.bytecode().as_constant()
    }

    /// Runs the expression for one input: see [`Bytecode::run`].
    ///
    /// # Panics
    ///
    /// If there are fewer values than variables.
    #[inline]
    #[must_use]
    pub fn run(&self, variables: &[f32]) -> f32 {
        self.bytecode().run(variables)
    }

    /// Runs the expression for many inputs: see [`Bytecode::run_batch`].
    ///
    /// # Panics
    ///
    /// As [`Bytecode::run_batch`].
    pub fn run_batch<B: Allocator + ?Sized>(
        &self,
        inputs: &[Input<'_>],
        results: &mut [f32],
        stack: &mut BatchStack<'_, B>,
    ) {
        self.bytecode().run_batch(inputs, results, stack);
    }

    /// Writes the expression as a source that compiles to the same bytecode, with the names of
    /// `symbols`.
    ///
    /// # Complexity
    ///
    /// O(words).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the text, or for the tree while it is written.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_expressions::{Expression, Symbols};
    ///
    /// static MEMORY: StaticHeap<32768> = StaticHeap::new("doc");
    /// let symbols = Symbols { variables: &["t"], ..Symbols::default() };
    /// let fade = Expression::try_compile("(1 - 2 ^ -1) * (1-t)^2", &symbols, &MEMORY).ok();
    /// let source = fade.map(|fade| fade.try_to_source(&symbols).map(|text| text.to_vec()));
    /// assert_eq!(source, Some(Ok(b"(1 - t) ^ 2 * 0.5".to_vec())));
    /// ```
    pub fn try_to_source(&self, symbols: &Symbols<'_>) -> Result<Array<'a, u8, A>, GrowError> {
        print(self.bytecode(), symbols, self.words.memory())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Expression<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytecode().fmt(f)
    }
}
