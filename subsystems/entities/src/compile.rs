//! Resources of entities from SJSON: for tools, enabled by the feature `compile`; a game is built
//! without.
//!
//! After Niklas Frykholm, "Building a Data-Oriented Entity System (Part 4: Entity Resources)"
//! (2014), whose compiler hands the configuration of each component to the function that its type
//! registered. Changes:
//!
//! - An entity may inherit another and say only what differs; so may its children, by their names.
//! - A level is a source, too. What it places is written into its own resource, so that spawning it
//!   is one batch.
//! - A type packs the data of all its instances, so that they may share.
//!
//! # Sources
//!
//! ```text
//! // goblin.entity
//! inherit = "monster"                 // what is not said here is as there
//! components = {
//!     transform = { position = [ 0 0 0 ] rotation = [ 0 0 0 1 ] scale = [ 1 1 1 ] }
//!     tag = [ "enemy" "small" ]
//!     data = { name = "Goblin" stats = { health = 20 } }
//! }
//! children = {
//!     sword = { inherit = "rusty_sword" components = { transform = { position = [ 0.3 1 0 ] } } }
//!     shield = null                   // inherited, and not wanted
//! }
//!
//! // cave.level
//! entities = {
//!     first = { inherit = "goblin" components = { transform = { position = [ 4 0 2 ] } } }
//! }
//! ```
//!
//! A level of many needs few lines: `instances` are entities without a name, each in as many places
//! as it says. They are turned, scaled and moved as the place says, with all of their children.
//!
//! ```text
//! instances = [
//!     { inherit = "rock" positions = [ [ 4 0 2 ] [ 7 0 2 ] ] }
//!     { inherit = "lamp" poses = [ { position = [ 0 3 0 ] rotation = [ 0 0 0 1 ] scale = 2 } ] }
//!     { inherit = "pillar" ring = { count = 12 radius = 8 center = [ 0 0 0 ] } }   // x axes point away from the center
//!     { inherit = "grass" grid = {
//!         count = [ 100 1 100 ]       // along x, y and z
//!         step = [ 0.5 1 0.5 ]        // metres between them
//!         center = [ 0 0 0 ]
//!         jitter = [ 0.2 0 0.2 ]      // how far each is moved by chance, to either side
//!         turn = 180                  // by how many degrees, to either side, around the axis that points up
//!         scale = [ 0.8 1.2 ]         // from the smallest to the largest
//!         seed = 1                    // another number, other chances
//!     } }
//! ]
//! ```
//!
//! Objects are merged key by key, whatever else is replaced, and `null` takes away what was
//! inherited. Entities with a parent or children have a transform, whether they say so or not. A
//! number is rounded to 32 bits.

mod component;
mod config;
mod data;
mod error;
mod expand;
mod merge;
mod place;
mod plain;
mod project;
mod source;
mod tag;
mod transform;
mod write;

pub use component::{ComponentCompiler, Instances};
pub use config::{Config, Field};
pub use data::DataCompiler;
pub use error::{CompileError, CompileErrorKind};
pub use plain::{PlainCompiler, PlainField, PlainKind};
pub use project::{ENTITY_TYPE, LEVEL_TYPE, SharedComponentCompiler, register, standard};
pub use source::{NamedResource, Sources};
pub use tag::TagCompiler;
pub use transform::TransformCompiler;
pub use write::{NewPart, write};

use loligo_allocators::Allocator;
use loligo_containers::{BlobBytes, Endian};

use expand::{Expansion, Kind};
use source::{Files, Told};

/// How many levels of entities a source may have, as deep as transforms may.
pub const DEPTH_MAX: u32 = crate::DEPTH_MAX as u32;

/// Compiles the source of an entity or of a level: one that has the key `entities` or `instances`.
///
/// `file` is what errors call it; what it inherits, and what that inherits, is asked of `sources`,
/// so that the compiler of a project learns there what a resource depends on. `compilers` are for
/// the component types that may be named; their data are in the resource in the order of spawning.
///
/// # Complexity
///
/// O(bytes of the sources), as often as they are inherited, and O(n log n) of the keys of an
/// object.
///
/// # Memory
///
/// The result is one block. The syntax trees of the sources, and about 16 bytes an entity and 20 a
/// component, are held while it is made, and given back.
///
/// # Errors
///
/// [`CompileError`], with file, line and column, says what is wrong and what to do.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_entities::EntityResource;
/// use loligo_entities::compile::{TransformCompiler, compile};
///
/// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
/// let text = b"components = { transform = { position = [ 0 2 0 ] } } children = { hand = {} }";
/// let bytes = compile("hero.entity", text, &[][..], &[&TransformCompiler], &MEMORY)?;
/// assert_eq!(EntityResource::open(&bytes).expect("just compiled").len(), 2);
///
/// let source = b"components = { transfrom = {} }";
/// let error = compile("hero.entity", source, &[][..], &[&TransformCompiler], &MEMORY);
/// assert_eq!(
///     error.expect_err("no such type").to_string(),
///     "hero.entity:1:16: there is no component type `transfrom`; is `transform` meant?"
/// );
/// # Ok::<(), loligo_entities::compile::CompileError<'_>>(())
/// ```
pub fn compile<'s, 'a>(
    file: &'s str,
    text: &'s [u8],
    sources: &(impl Sources<'s> + ?Sized),
    compilers: &[&dyn ComponentCompiler],
    memory: &'a dyn Allocator,
) -> Result<BlobBytes<'a>, CompileError<'s>> {
    compile_as(Kind::Either, Endian::NATIVE, file, text, sources, compilers, memory)
}

/// Compiles a source that is to be an entity or a level, for machines of a byte order.
fn compile_as<'s, 'a>(
    kind: Kind,
    endian: Endian,
    file: &'s str,
    text: &'s [u8],
    sources: &(impl Sources<'s> + ?Sized),
    compilers: &[&dyn ComponentCompiler],
    memory: &'a dyn Allocator,
) -> Result<BlobBytes<'a>, CompileError<'s>> {
    let files = Files::try_read(file, text, sources, memory)?;
    let notes = Told(sources);
    let mut expansion = Expansion::new(&files, compilers, memory, &notes);
    expansion.expand(kind)?;
    expansion.write(endian, memory)
}
