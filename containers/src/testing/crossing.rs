//! Which containers cross threads, as their docs state.

use loligo_allocators::Allocator;

use crate::{
    Array, ArrayOfArrays, Blob, BlobBuilder, BlobBytes, CallbackTable, Callbacks,
    DoubleBufferedEvents, EventStream, FixedRows, HandleHeap, KeyValues, KeyValuesSet, LinkedRows,
    ListPool, MultiMap, OpenArray, OpenStruct, PathNames, Ring, SortedMap, SortedSet,
};

/// An allocator that threads may share.
type Shared = dyn Allocator + Sync;

/// Of elements, each `Send` and `Sync`.
type Number = u32;

fn crosses<T: Send + Sync>() {}

#[test]
fn containers_with_a_shared_allocator_cross_threads() {
    crosses::<Array<'_, Number, Shared>>();
    crosses::<Ring<'_, Number, Shared>>();
    crosses::<SortedMap<'_, Number, Number, Shared>>();
    crosses::<SortedSet<'_, Number, Shared>>();
    crosses::<MultiMap<'_, Number, Number, crate::BuildKeyHasher, Shared>>();
    crosses::<ArrayOfArrays<'_, Number, Shared>>();
    crosses::<FixedRows<'_, Number, 4, Shared>>();
    crosses::<LinkedRows<'_, Number, 4, Shared>>();
    crosses::<ListPool<'_, Number, Shared>>();
    crosses::<HandleHeap<'_, Shared>>();
    crosses::<Blob<'_, Number>>();
    crosses::<BlobBytes<'_, Shared>>();
    crosses::<KeyValues<'_, Shared>>();
    crosses::<KeyValuesSet<'_, Shared>>();
    crosses::<PathNames<'_, Shared>>();
    crosses::<OpenStruct<'_, Shared>>();
    crosses::<OpenArray<'_, Shared>>();
    crosses::<EventStream<'_, Shared>>();
    crosses::<DoubleBufferedEvents<'_, Shared>>();
    crosses::<Callbacks<'_, crate::Callback16, Shared>>();
}

/// What neither holds nor owns a value of its parameter crosses whatever that is.
#[test]
fn parameters_that_only_name_a_type_do_not_keep_a_container_back() {
    crosses::<CallbackTable<'_, *const (), crate::Callback16, Shared>>();
    crosses::<BlobBuilder<'_, *const (), Shared>>();
}

#[cfg(feature = "hashbrown")]
#[test]
fn hash_maps_with_a_shared_allocator_cross_threads() {
    crosses::<crate::HashMap<'_, Number, Number, crate::BuildKeyHasher, Shared>>();
    crosses::<crate::HashSet<'_, Number, crate::BuildKeyHasher, Shared>>();
}
