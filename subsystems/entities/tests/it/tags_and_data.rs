//! Tags and data by hand, without resources.

use loligo_allocators::Refusals;
use loligo_containers::{GrowError, path_key};
use loligo_entities::{Data, ENTITIES_OF_TAG_MAX, Entities, TagError, Tags};
use loligo_ids::{IdString32, id32};

use crate::memory::with_memory;

#[test]
fn tags_lead_both_ways() {
    with_memory(|memory| {
        let mut entities = Entities::new_in(memory);
        let mut tags = Tags::new_in(memory);
        let all: Vec<_> = (0..20).map(|_| entities.create().expect("there is memory")).collect();
        let tag = |number: usize| IdString32::new(["a", "b", "c"][number]);
        for (number, entity) in all.iter().enumerate() {
            for place in 0..=number % 3 {
                assert_eq!(tags.try_add(*entity, tag(place)), Ok(true));
                assert_eq!(tags.try_add(*entity, tag(place)), Ok(false), "it has it");
            }
        }
        assert_eq!([0, 1, 2].map(|at| tags.entities(tag(at)).len()), [20, 13, 6]);
        assert!(tags.tags(all[2]).eq([tag(0), tag(1), tag(2)]));
        assert!(tags.remove_tag(all[0], tag(0)), "its only one");
        assert!(!tags.remove_tag(all[0], tag(0)), "it is gone");
        assert_eq!((tags.len(), tags.entities(tag(0)).len()), (19, 19));
        assert!(tags.entities(id32!("unheard of")).is_empty(), "of a tag that nobody carries");
        tags.validate().expect("it is whole");
    });
}

#[test]
fn a_tag_of_too_many_is_refused() {
    with_memory(|memory| {
        let mut entities = Entities::new_in(memory);
        let mut tags = Tags::new_in(memory);
        for _ in 0..ENTITIES_OF_TAG_MAX {
            let entity = entities.create().expect("there is memory");
            tags.try_add(entity, id32!("grain")).expect("there is room");
        }
        let one_more = entities.create().expect("there is memory");
        let refused = tags.try_add(one_more, id32!("grain"));
        assert_eq!(refused, Err(TagError::TooMany { tag: id32!("grain") }));
        assert_eq!(tags.len(), ENTITIES_OF_TAG_MAX, "it has no row");
    });
}

#[test]
fn data_are_set_and_removed() {
    with_memory(|memory| {
        let mut entities = Entities::new_in(memory);
        let mut data = Data::new_in(memory);
        let neo = entities.create().expect("there is memory");
        let mana = path_key(&["stats", "mana"]);
        assert!(data.get(neo).is_none(), "it has none yet");
        data.try_set(neo, mana, 200.0).expect("there is memory");
        data.try_set(neo, id32!("name"), "The One").expect("there is memory");
        assert_eq!(data.get(neo).and_then(|sheet| sheet.get_f32(mana)), Some(200.0));
        assert!(data.remove_key(neo, mana) && !data.remove_key(neo, mana), "once");
        assert_eq!(data.entities(), [neo]);
        data.validate().expect("it is whole");
    });
}

/// The first key of an entity makes its store, which is removed again if there is no memory for the
/// key.
#[test]
fn a_refused_first_key_leaves_no_data() {
    let mut refused = 0;
    for number in 0..20 {
        with_memory(|memory| {
            let mut entities = Entities::new_in(memory);
            let entity = entities.create().expect("there is memory");
            let from = Refusals::From(number);
            let failing = loligo_allocators::FailingAllocator::new_in("failing", from, memory);
            let memory: &dyn loligo_allocators::Allocator = &failing;
            let mut data = Data::new_in(memory);
            let done: Result<(), GrowError> = data.try_set(entity, id32!("health"), 1.0);
            refused += u32::from(done.is_err());
            assert_eq!(data.get(entity).is_some(), done.is_ok());
            data.validate().expect("it is whole");
        });
    }
    assert!(refused >= 3, "places, stores and the set are refused, not {refused} requests");
}
