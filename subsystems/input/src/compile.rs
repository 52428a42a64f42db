//! The compiler of mappings: for tools, enabled by the feature `compile`.
//!
//! # Sources
//!
//! ```text
//! // player.input
//! contexts = {                              // lowest first: `menu` hides the keys that `play` has too
//!     play = {
//!         actions = {
//!             jump = [ "Space" "PadSouth" ]             // any of them
//!             save = "ControlLeft+KeyS"                 // held first, pressed last
//!             fire = [ "MouseLeft" { control = "PadRightTrigger" threshold = 0.3 } ]
//!         }
//!         axes = {
//!             move_x = [ "KeyD" "-KeyA" { control = "PadLeftX" dead_zone = 0.2 } ]
//!             turn = [ { control = "MouseX" scale = 0.01 } "PadRightX" ]
//!         }
//!     }
//!     menu = {
//!         active = false                    // at first; true without
//!         actions = { back = [ "Escape" "'q'" "PadEast" ] }
//!     }
//! }
//! ```
//!
//! Controls are keys by their place (`KeyW`, `ArrowUp`, the codes of the W3C) or by what they type
//! in the player's layout (`'w'`, `'?'`, `'Enter'`), buttons (`MouseLeft`, `PadSouth`), and what has
//! a value: `MouseX`, `MouseY`, `WheelX`, `WheelY`, `WheelUp`, `PadLeftX`, `PadLeftStickUp`,
//! `PadLeftTrigger` and their like. A minus sign turns the value of a control round.

mod binding;
mod chord;
mod source;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileError, Compiler, Compilers, Context, Property};
use loligo_containers::{BlobBuilder, GrowError, blob_field};
use std::vec::Vec;

use crate::mapping::{BindingImage, ContextImage, INPUT_TYPE, INPUT_VERSION, InputImage};
use source::Source;

/// Registers the compiler of the type `input`.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
///
/// let mut compilers = Compilers::built_in();
/// loligo_input::compile::register(&mut compilers);
/// assert!(compilers.get("input").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    compilers.register(INPUT_TYPE, InputCompiler);
}

/// Compiles mappings.
#[derive(Clone, Copy, Debug, Default)]
pub struct InputCompiler;

impl Compiler for InputCompiler {
    fn version(&self) -> u32 {
        INPUT_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let text = context.source()?;
        let source = Source::read(&Property::read(&text)?)?;
        // For messages that show a hash.
        source.names().for_each(|name| _ = context.name(name));
        let pages = PageAllocator::new("compiler pages");
        let heap = HeapAllocator::new_in("compiler", &pages);
        let builder = BlobBuilder::try_new_in(context.endian(), &heap);
        builder
            .and_then(|builder| write(&source, builder))
            .map_err(|error| CompileError::new(std::format!("{error}"), "make it smaller"))
    }
}

/// Compiles a source without a project: for tests, and for tools that let players choose keys.
///
/// # Errors
///
/// [`CompileError`] says where and what is wrong.
///
/// # Examples
///
/// ```
/// use loligo_input::compile::compile;
///
/// let error = compile(br#"contexts = { play = { actions = { jump = "Spcae" } } }"#);
/// assert_eq!(
///     error.expect_err("it is misspelt").to_string(),
///     r#":1:42: "Spcae" is no control; is `Space` meant?"#,
/// );
/// ```
pub fn compile(text: &[u8]) -> Result<Vec<u8>, CompileError> {
    let source = Source::read(&Property::read(text)?)?;
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new_in("compiler", &pages);
    BlobBuilder::try_new_in(loligo_containers::Endian::NATIVE, &heap)
        .and_then(|builder| write(&source, builder))
        .map_err(|error| CompileError::new(std::format!("{error}"), "make it smaller"))
}

type Builder<'a> = BlobBuilder<'a, InputImage, HeapAllocator<'a, PageAllocator>>;

/// Writes the image.
fn write(source: &Source, mut builder: Builder<'_>) -> Result<Vec<u8>, GrowError> {
    let root = builder.root();
    builder.numbers(root.at(blob_field!(InputImage, actions)), &source.actions())?;
    builder.numbers(root.at(blob_field!(InputImage, axes)), &source.axes())?;
    let field = root.at(blob_field!(InputImage, contexts));
    let contexts = builder.array(field, source.contexts.len())?;
    for (place, (name, is_active)) in contexts.iter().zip(&source.contexts) {
        let name = loligo_ids::IdString32::new(name);
        builder.set(place.at(blob_field!(ContextImage, name)), name);
        builder.set(place.at(blob_field!(ContextImage, is_active)), u32::from(*is_active));
    }
    let (bindings, chords) = source.bindings();
    let places = builder.array(root.at(blob_field!(InputImage, bindings)), bindings.len())?;
    for (place, binding) in places.iter().zip(&bindings) {
        builder.set(place.at(blob_field!(BindingImage, control)), binding.control.number());
        builder.set(place.at(blob_field!(BindingImage, scale)), binding.scale);
        builder.set(place.at(blob_field!(BindingImage, edge)), binding.edge);
        builder.set(place.at(blob_field!(BindingImage, target)), binding.target);
        builder.set(place.at(blob_field!(BindingImage, context)), binding.context);
        builder.set(place.at(blob_field!(BindingImage, chord)), binding.chord);
        builder.set(place.at(blob_field!(BindingImage, held)), binding.held);
    }
    builder.numbers(root.at(blob_field!(InputImage, chords)), &chords)?;
    Ok(builder.finish().to_vec())
}
