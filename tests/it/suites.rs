//! Our tables and containers under the suites that anybody's run under.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{EventStream, HashMap, Ring, SortedMap};
use loligo_ids::{
    Fifo, FreeList, GenerationEnd, Holes, Id, Lifo, Packed, Retire, Shape, SmallId, Table, TableId,
    Wrap,
};
use loligo_tests::conformance::{
    self, IdTable, Map, MapKey, MapLimits, Queue, QueueLimits, Stream, StreamLimits, TableLimits,
    Token,
};

/// Runs something over a heap that must be empty after it.
fn over_heap(with: impl FnOnce(&dyn Allocator)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    with(&heap);
    assert_eq!(heap.stats().live, 0, "blocks are left");
}

/// One of our tables.
struct Ours<'a, S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(Table<'a, S, Token, I, F, E>);

impl<S: Shape, I: TableId, F: FreeList, E: GenerationEnd> IdTable for Ours<'_, S, I, F, E> {
    type Id = I;

    fn insert(&mut self, token: Token) -> Option<I> {
        self.0.insert(token).ok()
    }

    fn remove(&mut self, id: I) -> Option<Token> {
        self.0.remove(id)
    }

    fn get(&self, id: I) -> Option<&Token> {
        self.0.get(id)
    }

    fn get_mut(&mut self, id: I) -> Option<&mut Token> {
        self.0.get_mut(id)
    }

    fn contains(&self, id: I) -> bool {
        self.0.contains(id)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, each: &mut dyn FnMut(I, &Token)) {
        self.0.iter_with_ids().for_each(|(id, token)| each(id, token));
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Runs the suite on a table that grows or has a maximum number of slots.
fn table_conforms<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(
    lives: u32,
    objects_max: &[Option<usize>],
) {
    for &objects_max in objects_max {
        let limits = TableLimits { objects_max, lives, ..TableLimits::growing() };
        conformance::id_table(&limits, |test| {
            over_heap(|heap| {
                let table = Table::with_limit_in(objects_max.unwrap_or(1 << 20), heap);
                test(&mut Ours::<S, I, F, E>(table));
            });
        });
    }
}

/// With the default id and with the one of 32 bits, of which a slot has 4 095.
fn tables_conform<S: Shape>() {
    table_conforms::<S, Id<Token>, Lifo, Retire>(70_000, &[None, Some(100)]);
    table_conforms::<S, SmallId<Token>, Lifo, Retire>(70_000, &[None, Some(100)]);
    // Of the slots that were used some are held back, so that the table is full before its limit.
    table_conforms::<S, Id<Token>, Fifo<5>, Retire>(70_000, &[None]);
    table_conforms::<S, SmallId<Token>, Fifo<5>, Retire>(70_000, &[None]);
    table_conforms::<S, Id<Token>, Lifo, Wrap>(70_000, &[None, Some(100)]);
    table_conforms::<S, SmallId<Token>, Lifo, Wrap>(4_000, &[None, Some(100)]);
}

#[test]
fn tables_with_holes_conform() {
    tables_conform::<Holes>();
}

#[test]
fn packed_tables_conform() {
    tables_conform::<Packed>();
}

/// A map of ours: how both are called is the same.
macro_rules! map {
    ($name:ident, $map:ident) => {
        struct $name<'a>($map<'a, MapKey, Token>);

        impl Map for $name<'_> {
            fn insert(&mut self, key: MapKey, value: Token) -> Option<Token> {
                self.0.insert(key, value)
            }

            fn remove(&mut self, key: &MapKey) -> Option<Token> {
                self.0.remove(key)
            }

            fn get(&self, key: &MapKey) -> Option<&Token> {
                self.0.get(key)
            }

            fn get_mut(&mut self, key: &MapKey) -> Option<&mut Token> {
                self.0.get_mut(key)
            }

            fn len(&self) -> usize {
                self.0.len()
            }

            fn visit(&self, each: &mut dyn FnMut(u32, &Token)) {
                self.0.iter().for_each(|(key, value)| each(key.number(), value));
            }

            fn clear(&mut self) {
                self.0.clear();
            }
        }
    };
}

map!(Hashed, HashMap);
map!(Sorted, SortedMap);

#[test]
fn maps_conform() {
    conformance::map(&MapLimits::hashed(), |test| {
        over_heap(|heap| test(&mut Hashed(HashMap::new_in(heap))));
    });
    conformance::map(&MapLimits::sorted(), |test| {
        over_heap(|heap| test(&mut Sorted(SortedMap::new_in(heap))));
    });
}

struct OurRing<'a>(Ring<'a, Token>);

impl Queue for OurRing<'_> {
    fn push(&mut self, token: Token) -> Result<(), Token> {
        self.0.push_back(token);
        Ok(())
    }

    fn pop(&mut self) -> Option<Token> {
        self.0.pop_front()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, each: &mut dyn FnMut(&Token)) -> bool {
        self.0.iter().for_each(each);
        true
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// The ring as a queue that does not grow: what it would push out is handed back.
struct Bounded<'a>(Ring<'a, Token>);

impl Queue for Bounded<'_> {
    fn push(&mut self, token: Token) -> Result<(), Token> {
        if self.0.len() == self.0.capacity() {
            return Err(token);
        }
        let pushed_out = self.0.push_over(token);
        assert!(pushed_out.is_none(), "there was room");
        Ok(())
    }

    fn pop(&mut self) -> Option<Token> {
        self.0.pop_front()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

#[test]
fn rings_conform() {
    conformance::queue(&QueueLimits::growing(), |test| {
        over_heap(|heap| test(&mut OurRing(Ring::new_in(heap))));
    });
    fn ring(heap: &dyn Allocator) -> Ring<'_, Token> {
        Ring::try_with_capacity_in(16, heap).expect("the system has pages")
    }
    let mut capacity = 0;
    over_heap(|heap| capacity = ring(heap).capacity());
    conformance::queue(&QueueLimits::bounded(capacity), |test| {
        over_heap(|heap| test(&mut Bounded(ring(heap))));
    });
}

struct Events<'a>(EventStream<'a>);

impl Stream for Events<'_> {
    fn append(&mut self, kind: u32, payload: &[u8]) -> bool {
        self.0.try_push_bytes(kind, payload).is_ok()
    }

    fn read(&self, each: &mut dyn FnMut(u32, &[u8])) {
        self.0.iter().for_each(|record| each(record.kind(), record.payload()));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

#[test]
fn event_streams_conform() {
    conformance::stream(&StreamLimits::growing(4), |test| {
        over_heap(|heap| test(&mut Events(EventStream::new_in(heap))));
    });
}
