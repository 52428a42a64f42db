//! The id tables of the table.

use bitarena::Arena as Bitarena;
use gen_map::{DefaultKeyConfig, DenseGenMap, GenMap, Key};
use handy::HandleMap;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_ids::{
    FreeList, GenerationEnd, Holes, Id, Lifo, Packed, Repr, Retire, Shape, SmallId, Table, TableId,
    Wrap,
};
#[expect(deprecated, reason = "it is still there, and used")]
use slotmap::HopSlotMap;
use slotmap::{DefaultKey, DenseSlotMap, SlotMap};
use thunderdome::Arena as Thunderdome;

use crate::conformance::id_table::some_id_table_outcomes;
use crate::conformance::{IdTable, TableLimits, Token};
use crate::models::{FaultyTable, TableFault};

use super::{Family, Subject, Whose};

/// Implements [`IdTable`] for a table whose operations are called as usual, but for how it removes,
/// asks and walks.
macro_rules! id_table {
    ($(#[$about:meta])? $table:ty, $id:ty, $insert:expr, $remove:ident, $contains:ident,
        |$itself:ident, $each:ident| $visit:expr) => {
        $(#[$about])?
        impl IdTable for $table {
            type Id = $id;

            fn insert(&mut self, token: Token) -> Option<$id> {
                let insert: fn(&mut Self, Token) -> Option<$id> = $insert;
                insert(self, token)
            }

            fn remove(&mut self, id: $id) -> Option<Token> {
                Self::$remove(self, id)
            }

            fn get(&self, id: $id) -> Option<&Token> {
                Self::get(self, id)
            }

            fn get_mut(&mut self, id: $id) -> Option<&mut Token> {
                Self::get_mut(self, id)
            }

            fn contains(&self, id: $id) -> bool {
                Self::$contains(self, id)
            }

            fn len(&self) -> usize {
                Self::len(self)
            }

            fn visit(&self, $each: &mut dyn FnMut($id, &Token)) {
                let $itself = self;
                $visit
            }

            fn clear(&mut self) {
                Self::clear(self);
            }
        }
    };
}

id_table!(
    SlotMap<DefaultKey, Token>, DefaultKey, |map, token| Some(map.insert(token)),
    remove, contains_key, |map, each| map.iter().for_each(|(id, token)| each(id, token))
);
id_table!(
    #[expect(deprecated, reason = "it is still there, and used")]
    HopSlotMap<DefaultKey, Token>, DefaultKey, |map, token| Some(map.insert(token)),
    remove, contains_key, |map, each| map.iter().for_each(|(id, token)| each(id, token))
);
id_table!(
    DenseSlotMap<DefaultKey, Token>, DefaultKey, |map, token| Some(map.insert(token)),
    remove, contains_key, |map, each| map.iter().for_each(|(id, token)| each(id, token))
);
id_table!(
    slab::Slab<Token>,
    usize,
    |slab, token| Some(slab.insert(token)),
    try_remove,
    contains,
    |slab, each| slab.iter().for_each(|(id, token)| each(id, token))
);
id_table!(
    Thunderdome<Token>,
    thunderdome::Index,
    |arena, token| Some(arena.insert(token)),
    remove,
    contains,
    |arena, each| arena.iter().for_each(|(id, token)| each(id, token))
);
id_table!(
    Bitarena<Token>,
    bitarena::Index,
    |arena, token| Some(arena.insert(token)),
    remove,
    contains,
    |arena, each| arena.iter().for_each(|(id, token)| each(id, token))
);
id_table!(
    HandleMap<Token>,
    handy::Handle,
    |map, token| Some(map.insert(token)),
    remove,
    contains,
    |map, each| map.iter_with_handles().for_each(|(id, token)| each(id, token))
);
id_table!(
    GenMap<Token>,
    Key<DefaultKeyConfig>,
    |map, token| Some(map.insert(token)),
    remove,
    contains_key,
    |map, each| map.iter().for_each(|(id, token)| each(id, token))
);
id_table!(
    DenseGenMap<Token>,
    Key<DefaultKeyConfig>,
    |map, token| Some(map.insert(token)),
    remove,
    contains_key,
    |map, each| map.iter().for_each(|(id, token)| each(id, token))
);

impl<S, R, F, E, const INDEX: u32, const GENERATION: u32> IdTable
    for Table<'_, S, Token, Id<Token, R, INDEX, GENERATION>, F, E>
where
    S: Shape,
    R: Repr,
    F: FreeList,
    E: GenerationEnd,
{
    type Id = Id<Token, R, INDEX, GENERATION>;

    fn insert(&mut self, token: Token) -> Option<Self::Id> {
        Self::insert(self, token).ok()
    }

    fn remove(&mut self, id: Self::Id) -> Option<Token> {
        Self::remove(self, id)
    }

    fn get(&self, id: Self::Id) -> Option<&Token> {
        Self::get(self, id)
    }

    fn get_mut(&mut self, id: Self::Id) -> Option<&mut Token> {
        Self::get_mut(self, id)
    }

    fn contains(&self, id: Self::Id) -> bool {
        Self::contains(self, id)
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn visit(&self, each: &mut dyn FnMut(Self::Id, &Token)) {
        self.iter_with_ids().for_each(|(id, token)| each(id, token));
    }

    fn clear(&mut self) {
        Self::clear(self);
    }
}

/// Returns the tables: ours of either shape with either id, those of other crates, and one with a
/// planted fault.
pub(super) fn subjects() -> Vec<Subject> {
    vec![
        ours::<Holes, Id<Token>, Retire>("HoleTable", 70_000),
        ours::<Holes, SmallId<Token>, Retire>("HoleTable, ids of 32 bits", 70_000),
        ours::<Holes, SmallId<Token>, Wrap>("HoleTable, generations of 12 bits that wrap", 4_095),
        ours::<Packed, Id<Token>, Retire>("PackedTable", 70_000),
        ours::<Packed, SmallId<Token>, Retire>("PackedTable, ids of 32 bits", 70_000),
        ours::<Packed, SmallId<Token>, Wrap>(
            "PackedTable, generations of 12 bits that wrap",
            4_095,
        ),
        peer("slotmap::SlotMap", ("slotmap", "1"), SlotMap::<DefaultKey, Token>::new),
        #[expect(deprecated, reason = "it is still there, and used")]
        peer("slotmap::HopSlotMap", ("slotmap", "1"), HopSlotMap::<DefaultKey, Token>::new),
        peer("slotmap::DenseSlotMap", ("slotmap", "1"), DenseSlotMap::<DefaultKey, Token>::new),
        peer("slab::Slab", ("slab", "0"), slab::Slab::<Token>::new),
        peer("thunderdome::Arena", ("thunderdome", "0"), Thunderdome::<Token>::new),
        peer("bitarena::Arena", ("bitarena", "0"), Bitarena::<Token>::new),
        peer("handy::HandleMap", ("handy", "0"), HandleMap::<Token>::new),
        peer("gen_map::GenMap", ("gen_map", "0"), GenMap::<Token>::new),
        peer("gen_map::DenseGenMap", ("gen_map", "0"), DenseGenMap::<Token>::new),
        Subject::new(Family::IdTables, "slots", Whose::Planted, None, |wanted| {
            some_id_table_outcomes(&TableLimits::growing(), wanted, |test| {
                test(&mut FaultyTable::new(TableFault::WrapsAt65536, None));
            })
        }),
    ]
}

fn ours<S, I, E>(name: &str, lives: u32) -> Subject
where
    S: Shape,
    I: TableId + 'static,
    E: GenerationEnd,
    for<'a> Table<'a, S, Token, I, Lifo, E>: IdTable<Id = I>,
{
    Subject::new(Family::IdTables, name, Whose::Ours, None, move |wanted| {
        let limits = TableLimits { lives, ..TableLimits::growing() };
        some_id_table_outcomes(&limits, wanted, |test| {
            let pages = PageAllocator::new("pages");
            let heap = HeapAllocator::new_in("heap", &pages);
            test(&mut Table::<S, Token, I, Lifo, E>::new_in(&heap));
        })
    })
}

fn peer<T: IdTable<Id: 'static> + 'static>(
    name: &str,
    package: (&'static str, &'static str),
    make: impl Fn() -> T + 'static,
) -> Subject {
    Subject::new(Family::IdTables, name, Whose::Peer, Some(package), move |wanted| {
        some_id_table_outcomes(&TableLimits::growing(), wanted, |test| test(&mut make()))
    })
}
