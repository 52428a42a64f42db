//! Containers in contiguous memory.
#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![expect(unsafe_code, reason = "elements lie in raw memory; every block has its argument")]

#[cfg(any(feature = "std", test))]
extern crate std;

mod arrays;
mod bytes;
#[cfg(feature = "derive")]
mod derives;
mod error;
mod events;
mod keyed;
mod maps;
mod pools;
#[cfg(test)]
mod testing;

pub use arrays::array::{Array, ArrayDrain, ArrayIntoIter};
pub use arrays::ring::{Ring, RingIntoIter, RingIter};
pub use bytes::blob::{
    BLOB_ALIGN, BLOB_DEPTH, Blob, BlobArray, BlobBuilder, BlobBytes, BlobChecker, BlobElements,
    BlobError, BlobField, BlobLayout, BlobOption, BlobPartError, BlobPlace, BlobPlaces, BlobRef,
    BlobRefused, BlobScalar, BlobShapes, BlobStr, BlobType, BlobUpgrade, BlobUpgradeError, Endian,
};
pub use bytes::stream::{
    Number, Stream, StreamError, StreamErrorKind, StreamFormat, StreamReader, StreamWriter,
    Streamed,
};
pub use bytes::text;
#[cfg(feature = "derive")]
pub use derives::{__derive, BlobType, Event, OpenRow, Streamed};
pub use error::GrowError;
pub use events::callbacks::{
    Callback, Callback16, Callback32, CallbackId, CallbackTable, Callbacks, Later, RunError,
};
pub use events::event_stream::{
    DoubleBufferedEvents, Event, EventError, EventErrorKind, EventReader, EventRecord,
    EventRecords, EventStream, EventTail, EventsOf,
};
#[cfg(feature = "hashbrown")]
pub use hashbrown;
pub use keyed::json::JsonError;
pub use keyed::key_values::{
    DamagedKeyValues, KeyValues, KeyValuesJsonError, KeyValuesRef, KeyValuesSet, KeyValuesSetError,
    KeyValuesWriteError, PathCollision, PathName, PathNames, PathNamesError, PathText, StoreId,
    StoreTag, Value, child_key, path_key,
};
pub use keyed::open_struct::{
    Field, FieldAccess, FieldSet, FieldType, FieldValue, Flag, OPEN_FIELDS_MAX, OpenArray,
    OpenDamage, OpenDictionary, OpenError, OpenLayout, OpenList, OpenRow, OpenStruct, OpenValue,
    ReadField, WriteField,
};
#[cfg(feature = "hashbrown")]
pub use maps::hash_map::{HashMap, HashSet};
pub use maps::hasher::{BuildIdHasher, BuildKeyHasher, IdHasher, KeyHasher};
pub use maps::multi_map::{EntryPlace, MultiMap, MultiMapDamage, MultiMapIter, MultiMapIterMut};
pub use maps::sorted_map::{SortedError, SortedMap, SortedSet};
pub use pools::array_of_arrays::{
    ArrayOfArrays, FixedRows, LinkedRows, RowDamage, RowError, RowId, RowOf, Rows,
};
pub use pools::handle_heap::{
    BlockError, BlockId, Compaction, HandleHeap, HandleHeapDamage, HandleHeapError,
    HandleHeapStats, HeapBlock,
};
pub use pools::list_pool::{
    List, ListChunks, ListChunksMut, ListDamage, ListError, ListIter, ListIterMut, ListPool,
    ListPoolStats,
};
