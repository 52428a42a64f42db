//! The maps of the table.

use std::collections::BTreeMap;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{HashMap, SortedMap};

use crate::conformance::map::some_map_outcomes;
use crate::conformance::{Map, MapKey, MapLimits, Token};
use crate::models::{FaultyMap, MapFault};

use super::{Family, Subject, Whose};

/// Implements [`Map`] for a map of the standard library's manner.
macro_rules! map {
    ($map:ty) => {
        impl Map for $map {
            fn insert(&mut self, key: MapKey, value: Token) -> Option<Token> {
                self.insert(key, value)
            }

            fn remove(&mut self, key: &MapKey) -> Option<Token> {
                self.remove(key)
            }

            fn get(&self, key: &MapKey) -> Option<&Token> {
                self.get(key)
            }

            fn get_mut(&mut self, key: &MapKey) -> Option<&mut Token> {
                self.get_mut(key)
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn visit(&self, each: &mut dyn FnMut(u32, &Token)) {
                self.iter().for_each(|(key, value)| each(key.number(), value));
            }

            fn clear(&mut self) {
                self.clear();
            }
        }
    };
}

map!(SortedMap<'_, MapKey, Token>);
map!(std::collections::HashMap<MapKey, Token>);
map!(hashbrown::HashMap<MapKey, Token>);
map!(BTreeMap<MapKey, Token>);

/// Ours is hashbrown's inside, whose operations are had through it.
impl Map for HashMap<'_, MapKey, Token> {
    fn insert(&mut self, key: MapKey, value: Token) -> Option<Token> {
        Self::insert(self, key, value)
    }

    fn remove(&mut self, key: &MapKey) -> Option<Token> {
        (**self).remove(key)
    }

    fn get(&self, key: &MapKey) -> Option<&Token> {
        (**self).get(key)
    }

    fn get_mut(&mut self, key: &MapKey) -> Option<&mut Token> {
        (**self).get_mut(key)
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn visit(&self, each: &mut dyn FnMut(u32, &Token)) {
        self.iter().for_each(|(key, value)| each(key.number(), value));
    }

    fn clear(&mut self) {
        (**self).clear();
    }
}

/// Returns the maps: ours, those of std and hashbrown, and one with a planted fault.
pub(super) fn subjects() -> Vec<Subject> {
    vec![
        ours("HashMap", MapLimits::hashed(), |heap, test| {
            test(&mut HashMap::<MapKey, Token>::new_in(heap));
        }),
        ours("SortedMap", MapLimits::sorted(), |heap, test| {
            test(&mut SortedMap::<MapKey, Token>::new_in(heap));
        }),
        peer("std::collections::HashMap", None, MapLimits::hashed(), || {
            std::collections::HashMap::<MapKey, Token>::new()
        }),
        peer("hashbrown::HashMap", Some(("hashbrown", "0.17")), MapLimits::hashed(), || {
            hashbrown::HashMap::<MapKey, Token>::new()
        }),
        peer("std::collections::BTreeMap", None, MapLimits::sorted(), || {
            BTreeMap::<MapKey, Token>::new()
        }),
        Subject::new(Family::Maps, "entries", Whose::Planted, None, |wanted| {
            some_map_outcomes(&MapLimits::sorted(), wanted, |test| {
                test(&mut FaultyMap::new(MapFault::ForgetsKey));
            })
        }),
    ]
}

/// Makes a map over a heap and passes it on.
type Over = fn(&dyn Allocator, &mut dyn FnMut(&mut dyn Map));

fn ours(name: &str, limits: MapLimits, make: Over) -> Subject {
    Subject::new(Family::Maps, name, Whose::Ours, None, move |wanted| {
        some_map_outcomes(&limits, wanted, |test| {
            let pages = PageAllocator::new("pages");
            make(&HeapAllocator::new_in("heap", &pages), test);
        })
    })
}

fn peer<M: Map + 'static>(
    name: &str,
    package: Option<(&'static str, &'static str)>,
    limits: MapLimits,
    make: fn() -> M,
) -> Subject {
    Subject::new(Family::Maps, name, Whose::Peer, package, move |wanted| {
        some_map_outcomes(&limits, wanted, |test| test(&mut make()))
    })
}
