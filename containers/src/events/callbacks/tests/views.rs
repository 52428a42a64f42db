//! Tables, queues and ids as others see them.

use std::format;

use loligo_allocators::Refusals;

use super::{Log, NOTHING, NUMBER, TRIPLE, table};
use crate::error::GrowError;
use crate::events::callbacks::{Callback, Callback16, CallbackId, CallbackTable, Callbacks, Later};
use crate::testing::test_memory::{Memory, with_memory};

/// Has none of the traits that an id has.
struct Plain;

#[test]
fn an_id_has_its_traits_whatever_its_data_have() {
    fn cloned<T: Clone>(value: &T) -> T {
        value.clone()
    }
    let id = CallbackId::<Plain>::from_number(7);
    let (copy, clone) = (id, cloned(&id));
    assert!(copy == id && clone == id, "copies are equal");
    assert!(id != CallbackId::from_number(6) && id != CallbackId::from_number(8), "by the number");
    assert_eq!((clone.number(), format!("{id:?}").as_str()), (7, "CallbackId(7)"), "the number");
}

#[test]
fn room_that_was_made_is_used() {
    with_memory(|memory| {
        let mut calls: Callbacks<'_, Callback16, Memory<'_>> =
            Callbacks::try_with_capacity_in(30, memory).expect("there is memory");
        assert!(calls.is_empty(), "nothing is queued");
        let requests = memory.requests();
        (0..30).for_each(|number| calls.queue(NUMBER, number));
        assert_eq!((calls.len(), memory.requests()), (30, requests), "nothing more was asked for");
        assert!(!calls.is_empty(), "thirty are queued");
        calls.clear();
        assert!(calls.is_empty() && calls.as_slice().is_empty(), "none is left");
        memory.refuse(Refusals::From(0));
        let refused =
            Callbacks::<Callback16, Memory<'_>>::try_with_capacity_in(2, memory).map(|c| c.len());
        assert_eq!(refused, Err(GrowError::Memory { elements: 2, bytes: 32 }), "no memory");
    });
}

#[test]
fn they_print_what_they_hold() {
    with_memory(|memory| {
        let none: CallbackTable<'_, Log, Callback16, Memory<'_>> = CallbackTable::new_in(memory);
        assert!(none.is_empty(), "no function yet");
        assert_eq!(format!("{none:?}"), "CallbackTable { len: 0, .. }", "their number");
        let table = table::<Callback16>(memory);
        assert!(!table.is_empty(), "five functions");
        assert_eq!(format!("{table:?}"), "CallbackTable { len: 5, .. }", "their number");
        let mut calls: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        assert_eq!(format!("{calls:?}"), "[]", "nothing is queued");
        calls.queue(TRIPLE, [u32::from_ne_bytes([1, 2, 3, 4]); 3]);
        calls.queue(NOTHING, ());
        let said = "[Callback16 { function: 1, data: [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4] }, \
                    Callback16 { function: 2, data: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }]";
        assert_eq!(format!("{calls:?}"), said, "each call");
    });
}

#[test]
fn what_queues_later_prints_and_queues() {
    with_memory(|memory| {
        let mut table: CallbackTable<'_, std::string::String, Callback16, Memory<'_>> =
            CallbackTable::new_in(memory);
        let print = table.add_queueing(
            |said: &mut std::string::String, later: &mut Later<'_, Callback16>, left: u32| {
                *said += &format!("{later:?}{left} ");
                if left > 0 {
                    let same = CallbackId::<u32>::from_number(0);
                    later.try_queue(same, left - 1).expect("there is memory");
                }
            },
        );
        let mut calls: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        calls.queue(print, 1);
        let mut said = std::string::String::new();
        assert_eq!(calls.run(&table, &mut said), Ok(1), "one was queued");
        assert_eq!(calls.as_slice()[0].data::<u32>(), 0, "it queued one more");
        assert_eq!(calls.run(&table, &mut said), Ok(1), "which is made later");
        assert_eq!(said, "Later { .. }1 Later { .. }0 ", "both calls");
        assert!(calls.is_empty(), "and no more");
    });
}
