//! Containers in contiguous memory.
#![doc = include_str!("../README.md")]
#![no_std]
#![expect(unsafe_code, reason = "elements lie in raw memory; every block has its argument")]

#[cfg(any(feature = "std", test))]
extern crate std;

mod array;
mod array_of_arrays;
mod blob;
mod buffer;
mod callbacks;
mod error;
mod event_stream;
mod handle_heap;
#[cfg(feature = "hashbrown")]
mod hash_map;
mod hasher;
mod json;
mod key_values;
mod list_pool;
mod multi_map;
mod open_struct;
#[cfg(test)]
mod panicking_drops;
mod ring;
mod sorted_map;
mod stream;
#[cfg(test)]
mod test_memory;
pub mod text;

pub use array::{Array, ArrayDrain, ArrayIntoIter};
pub use array_of_arrays::{
    ArrayOfArrays, FixedRows, LinkedRows, RowDamage, RowError, RowId, RowOf, Rows,
};
pub use blob::{
    BLOB_ALIGN, BLOB_DEPTH, Blob, BlobArray, BlobBuilder, BlobBytes, BlobChecker, BlobError,
    BlobField, BlobOption, BlobPartFault, BlobPlace, BlobPlaces, BlobRefused, BlobScalar,
    BlobShapes, BlobStr, BlobType, Endian,
};
pub use callbacks::{
    Callback, Callback16, Callback32, CallbackId, CallbackTable, Callbacks, Later, RunError,
};
pub use error::GrowError;
pub use event_stream::{
    DoubleBufferedEvents, Event, EventError, EventFault, EventReader, EventRecord, EventRecords,
    EventStream, EventTail, EventsOf,
};
pub use handle_heap::{
    BlockError, BlockId, Compaction, HandleHeap, HandleHeapDamage, HandleHeapError,
    HandleHeapStats, HeapBlock,
};
#[cfg(feature = "hashbrown")]
pub use hash_map::{HashMap, HashSet};
#[cfg(feature = "hashbrown")]
pub use hashbrown;
pub use hasher::{BuildIdHasher, BuildKeyHasher, IdHasher, KeyHasher};
pub use json::JsonError;
pub use key_values::{
    DamagedKeyValues, KeyValues, KeyValuesJsonError, KeyValuesRef, KeyValuesSet, KeyValuesSetError,
    KeyValuesWriteError, PathCollision, PathName, PathNames, PathNamesError, PathText, StoreId,
    StoreTag, Value, child_key, path_key,
};
pub use list_pool::{
    List, ListChunks, ListChunksMut, ListDamage, ListError, ListIter, ListIterMut, ListPool,
    ListPoolStats,
};
pub use multi_map::{EntryPlace, MultiMap, MultiMapDamage, MultiMapIter, ValuesOf};
pub use open_struct::{
    Field, FieldAccess, FieldSet, FieldType, FieldValue, Flag, OPEN_FIELDS_MAX, OpenArray,
    OpenDamage, OpenDictionary, OpenError, OpenLayout, OpenList, OpenStruct, OpenValue, ReadField,
    WriteField,
};
pub use ring::{Ring, RingIntoIter, RingIter};
pub use sorted_map::{SortedError, SortedMap, SortedSet};
pub use stream::{
    Number, Stream, StreamError, StreamFault, StreamFormat, StreamReader, StreamWriter, Streamed,
};
