//! Compiling texts: for tools, enabled by the feature `compile`.
//!
//! A game is built without the feature and reads what these have made: [`Strings`](crate::Strings).
//!
//! ```text
//! // menu.strings: Text.get("menu.start"), Text.get("menu.options.sound")
//! language = "en"                             // of the plurals; without, the language of the variant, or English
//! texts = {
//!     start = "Start the game"
//!     greeting = "Hello, {name}!"             // {{ and }} are braces
//!     coins = { by = "count" one = "{count} coin" other = "{count} coins" }
//!     options = { sound = "Sound" }           // a group of texts
//! }
//! ```

mod message;
mod source;
mod write;

use std::vec::Vec;

use loligo_compiler::{CompileError, Compiler, Compilers, Context, Property};

pub use message::{Message, Piece};
pub use source::{SourceText, SourceTexts};

use crate::strings::{STRINGS_TYPE, STRINGS_VERSION};

/// Registers the compiler of texts.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
///
/// let mut compilers = Compilers::built_in();
/// loligo_text::compile::register(&mut compilers);
/// assert!(compilers.get("strings").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    compilers.register(STRINGS_TYPE, StringsCompiler);
}

/// Compiles texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct StringsCompiler;

impl Compiler for StringsCompiler {
    fn version(&self) -> u32 {
        STRINGS_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        let texts = SourceTexts::read(&source, &context.resource().properties)?;
        for text in &texts.texts {
            context.name(&text.key);
        }
        write::write(&texts, context.endian())
    }
}
