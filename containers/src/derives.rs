//! The derives, each with its examples.
//!
//! They are documented where they are defined, and shown here, where what they are derived for is.

/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Blob, BlobBuilder, BlobStr, BlobType, Endian, blob_field};
///
/// #[derive(Clone, Copy, Debug, PartialEq, BlobType)]
/// #[repr(u8)]
/// enum Blend {
///     Opaque = 1,
///     Add = 2,
/// }
///
/// #[derive(BlobType)]
/// #[repr(C)]
/// struct Material {
///     name: BlobStr,
///     blend: Blend,
/// }
///
/// static HEAP: StaticHeap<65536> = StaticHeap::new("compiler");
/// let mut builder = BlobBuilder::<Material>::try_new(Endian::NATIVE, &HEAP)?;
/// let root = builder.root();
/// builder.string(root.at(blob_field!(Material, name)), "fire")?;
/// builder.set(root.at(blob_field!(Material, blend)), Blend::Add);
/// let bytes = builder.finish();
///
/// let blob = Blob::<Material>::open(&bytes).expect("just built");
/// assert_eq!(blob.root().blend, Blend::Add);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// A struct of Rust's layout is refused, as its fields have no set places:
///
/// ```compile_fail
/// #[derive(loligo_containers::BlobType)]
/// struct Material {
///     gloss: f32,
/// }
/// ```
///
/// A field that was added says since when it is there, and what it is in older blobs:
/// [`Blob::try_upgrade`](crate::Blob::try_upgrade) has an example.
pub use loligo_derive::BlobType;

/// # Examples
///
/// ```
/// use bytemuck::{AnyBitPattern, NoUninit};
/// use loligo_containers::Event;
/// use loligo_ids::id32;
///
/// #[derive(Clone, Copy, NoUninit, AnyBitPattern, Event)]
/// #[repr(C)]
/// struct FootDown {
///     unit: u32,
/// }
/// assert_eq!(FootDown::TYPE, id32!("foot_down").hash());
///
/// #[derive(Clone, Copy, NoUninit, AnyBitPattern, Event)]
/// #[event(number = 7)]
/// #[repr(C)]
/// struct Fell {
///     unit: u32,
/// }
/// assert_eq!(Fell::TYPE, 7);
/// ```
///
/// An unknown attribute is refused:
///
/// ```compile_fail
/// # use bytemuck::{AnyBitPattern, NoUninit};
/// #[derive(Clone, Copy, NoUninit, AnyBitPattern, loligo_containers::Event)]
/// #[event(id = 7)]
/// #[repr(C)]
/// struct Fell {
///     unit: u32,
/// }
/// ```
pub use loligo_derive::Event;

/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{OpenArray, OpenLayout, OpenRow};
///
/// #[derive(Clone, Copy, Debug, PartialEq, OpenRow)]
/// struct Spark {
///     position: [f32; 3],
///     velocity: [f32; 3],
///     #[open(name = "life")]
///     age: f32,
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut sparks: OpenArray = OpenArray::new(OpenLayout::StructOfArrays, &MEMORY);
/// sparks.try_add_fields::<Spark>()?;
/// let row = sparks.try_push_row(&Spark { position: [0.0; 3], velocity: [1.0; 3], age: 0.5 })?;
/// sparks.sweep((Spark::POSITION.write(), Spark::VELOCITY.read()), |(position, velocity)| {
///     position[1] += velocity[1];
/// });
/// let spark: Spark = sparks.row(row).expect("it was pushed");
/// assert_eq!(spark.position, [0.0, 1.0, 0.0]);
/// # Ok::<(), loligo_containers::OpenError>(())
/// ```
pub use loligo_derive::OpenRow;

/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Array, StreamError, StreamFormat, Streamed};
///
/// #[derive(Debug, Default, PartialEq, Streamed)]
/// enum Task {
///     #[default]
///     Rest,
///     Walk { to: [f32; 2] },
/// }
///
/// #[derive(Streamed)]
/// struct Knight<'m> {
///     health: f32,
///     task: Task,
///     #[streamed(text)]
///     name: Array<'m, u8>,
///     #[streamed(since = 2, default = 3)]
///     horses: u32,
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let knight = |health| Knight {
///     health,
///     task: Task::Rest,
///     name: Array::new(&MEMORY),
///     horses: 0,
/// };
/// const FORMAT: StreamFormat = StreamFormat::new("knight", 2);
///
/// let mut galahad = knight(80.0);
/// galahad.task = Task::Walk { to: [1.0, 2.0] };
/// galahad.name.extend_from_slice(b"Galahad");
/// let mut bytes: Array<u8> = Array::new(&MEMORY);
/// FORMAT.save(&mut galahad, &mut bytes)?;
///
/// let mut read = knight(0.0);
/// FORMAT.load(&mut read, &bytes)?;
/// assert_eq!((read.health, read.task), (80.0, Task::Walk { to: [1.0, 2.0] }));
/// assert_eq!(&read.name[..], b"Galahad");
/// # Ok::<(), StreamError>(())
/// ```
pub use loligo_derive::Streamed;

/// What derived code names. It is for the derives alone and may change with every version.
#[doc(hidden)]
pub mod __derive {
    pub use loligo_allocators::Allocator;
    pub use loligo_ids::IdString32;

    pub use crate::bytes::blob::SealedScalar;
}
