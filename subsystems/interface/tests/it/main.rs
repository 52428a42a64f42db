//! Schemas as those read them who do not know the events.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::StaticHeap;
use loligo_containers::{Event, EventStream};
use loligo_entities::Entity;
use loligo_ids::TableId;
use loligo_interface::{EventSchema, FieldValue, event_schema};

/// One field of each kind, in an order that is not that of the arguments.
#[derive(Clone, Copy, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct All {
    at: [f32; 3],
    secret: u32,
    entity: u32,
    is_hard: u32,
    force: f32,
    change: i32,
    count: u32,
}

const ALL: EventSchema = event_schema!(All, "all", "a test", {
    entity: Entity, count: Count, change: Integer, force: Number, is_hard: Bool, at: Vector3,
});

/// The first entity of slot 1.
const BITS: u32 = 1 << <Entity as TableId>::INDEX_BITS | 1;

#[test]
fn each_field_is_read_by_its_schema() {
    let heap = StaticHeap::<8192>::new("test");
    let mut events: EventStream = EventStream::new(&heap);
    let entity = Entity::from_bits(BITS);
    let event = All {
        at: [1.0, 2.0, -3.0],
        secret: 9,
        entity: BITS,
        is_hard: 1,
        force: -0.5,
        change: -7,
        count: u32::MAX,
    };
    events.push(event);
    let record = events.iter().next().expect("it was pushed");
    assert_eq!(record.kind(), ALL.kind, "the schema is of that type");
    let read: Vec<_> = ALL.fields.iter().map(|field| (field.name, field.read(&record))).collect();
    assert!(entity.is_some(), "such an entity may be");
    assert_eq!(
        read,
        [
            ("entity", Some(FieldValue::Entity(entity))),
            ("count", Some(FieldValue::Number(f64::from(u32::MAX)))),
            ("change", Some(FieldValue::Number(-7.0))),
            ("force", Some(FieldValue::Number(-0.5))),
            ("is_hard", Some(FieldValue::Bool(true))),
            ("at", Some(FieldValue::Vector3([1.0, 2.0, -3.0]))),
        ]
    );
}

#[test]
fn an_event_that_is_too_short_has_no_such_field() {
    let heap = StaticHeap::<8192>::new("test");
    let mut events: EventStream = EventStream::new(&heap);
    events.try_push_bytes(All::TYPE, &[0; 12]).expect("there is memory");
    let record = events.iter().next().expect("it was pushed");
    let found = ALL.fields.iter().filter(|field| field.read(&record).is_some());
    assert_eq!(found.map(|field| field.name).collect::<Vec<_>>(), ["at"]);
}
