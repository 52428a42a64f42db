//! Who touches whom, and the events that this makes.

use core::cell::{Cell, RefCell};

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::{Array, EventStream, GrowError};
use rapier3d::dynamics::{SoftBodySet, SoftBodyTearEvent};
use rapier3d::prelude::{
    ColliderHandle, ColliderSet, CollisionEvent, ContactPair, EventHandler, RigidBodySet,
};

use super::marks::{ShapeMark, collider_parts};
use crate::events::{TouchEnded, TriggerEntered, TriggerLeft};

/// The first of the two is a trigger.
pub(crate) const TRIGGER: u32 = 1;
/// The other one is.
pub(crate) const OTHER_TRIGGER: u32 = 2;

/// Two shapes that touch, the one with the smaller key first. Plain data, saved as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
pub(crate) struct Touch {
    /// Actor and shape, and those of the other one: what events are sorted by.
    pub(crate) key: [u32; 4],
    pub(crate) entities: [u32; 2],
    pub(crate) materials: [u32; 2],
    pub(crate) colliders: [[u32; 2]; 2],
    pub(crate) flags: u32,
}

/// A touch that has begun or ended in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) touch: Touch,
    /// How many changes there were before in this step.
    pub(crate) number: u32,
    pub(crate) has_begun: bool,
}

/// The touches of a world whose shapes send some.
pub(crate) struct Touches<'a, A: Allocator + ?Sized> {
    /// Sorted by key, each key once.
    pub(crate) list: Array<'a, Touch, A>,
    /// What the list is made from in a step.
    next: Array<'a, Touch, A>,
    changes: Array<'a, Change, A>,
    /// An actor was destroyed, or got other shapes, since the last step.
    pub(crate) has_lost_shapes: bool,
}

impl<'a, A: Allocator + ?Sized> Touches<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self {
            list: Array::new_in(memory),
            next: Array::new_in(memory),
            changes: Array::new_in(memory),
            has_lost_shapes: false,
        }
    }

    /// Runs a step, which reports its changes; returns whether some of them could not be kept.
    pub(crate) fn listen(&mut self, step: impl FnOnce(&dyn EventHandler)) -> bool {
        self.changes.clear();
        let listener =
            Listener { changes: RefCell::new(&mut self.changes), has_lost: Cell::new(false) };
        step(&listener);
        listener.has_lost.get()
    }

    /// Brings the list up to date and sends what has happened, pair by pair, and of each pair in the
    /// order in which it happened. `began` sends the event of a touch that has begun. A touch of shapes
    /// that are gone goes on if others have their numbers and touch in the same way.
    pub(crate) fn settle(
        &mut self,
        has_shapes: impl Fn(&Touch) -> bool,
        events: &mut EventStream<'a, A>,
        mut began: impl FnMut(&Touch, &mut EventStream<'a, A>) -> Result<(), GrowError>,
    ) -> Result<(), GrowError> {
        if self.changes.is_empty() && !self.has_lost_shapes {
            return Ok(());
        }
        self.changes.sort_unstable_by_key(|change| (change.touch.key, change.number));
        self.next.clear();
        if let Err(error) = self.next.try_reserve(self.list.len() + self.changes.len()) {
            self.only_remove(has_shapes);
            return Err(error);
        }
        self.has_lost_shapes = false;
        let mut sent = Ok(());
        let (mut old, mut changes) = (self.list.iter().peekable(), self.changes.iter().peekable());
        loop {
            let keys = [old.peek().map(|t| t.key), changes.peek().map(|c| c.touch.key)];
            let Some(key) = keys.into_iter().flatten().min() else { break };
            let mut touch = old.next_if(|touch| touch.key == key).copied();
            let mut lost = touch.take_if(|touch| !has_shapes(touch));
            while let Some(change) = changes.next_if(|change| change.touch.key == key) {
                match (change.has_begun, touch) {
                    (true, None) => {
                        let goes_on = lost.is_some_and(|lost| lost.flags == change.touch.flags);
                        if let Some(lost) = lost.take_if(|_| !goes_on) {
                            sent = sent.and(send_end(&lost, events));
                        }
                        if !goes_on {
                            sent = sent.and(send_begin(&change.touch, events, &mut began));
                        }
                        lost = None;
                        touch = Some(change.touch);
                    }
                    (false, Some(ended)) => {
                        sent = sent.and(send_end(&ended, events));
                        touch = None;
                    }
                    (true, Some(_)) | (false, None) => {}
                }
            }
            if let Some(lost) = lost {
                sent = sent.and(send_end(&lost, events));
            }
            if let Some(touch) = touch {
                self.next.try_push(touch)?;
            }
        }
        core::mem::swap(&mut self.list, &mut self.next);
        sent
    }

    /// Removes what does not touch any more, and sends nothing: for want of memory.
    fn only_remove(&mut self, has_shapes: impl Fn(&Touch) -> bool) {
        let changes = &self.changes;
        self.list.retain(|touch| {
            let last = changes.partition_point(|change| change.touch.key <= touch.key);
            let last = changes[..last].last().filter(|change| change.touch.key == touch.key);
            last.is_none_or(|change| change.has_begun) && has_shapes(touch)
        });
        self.has_lost_shapes = false;
    }
}

fn send_begin<'a, A: Allocator + ?Sized>(
    touch: &Touch,
    events: &mut EventStream<'a, A>,
    began: &mut impl FnMut(&Touch, &mut EventStream<'a, A>) -> Result<(), GrowError>,
) -> Result<(), GrowError> {
    let Some((trigger, entrant)) = touch.trigger() else { return began(touch, events) };
    let [actors, shapes] = touch.parts();
    events.try_push(TriggerEntered {
        trigger: touch.entities[trigger],
        entity: touch.entities[entrant],
        trigger_actor: actors[trigger],
        actor: actors[entrant],
        trigger_shape: shapes[trigger],
        shape: shapes[entrant],
    })
}

fn send_end<A: Allocator + ?Sized>(
    touch: &Touch,
    events: &mut EventStream<'_, A>,
) -> Result<(), GrowError> {
    let [actors, shapes] = touch.parts();
    match touch.trigger() {
        Some((trigger, entrant)) => events.try_push(TriggerLeft {
            trigger: touch.entities[trigger],
            entity: touch.entities[entrant],
            trigger_actor: actors[trigger],
            actor: actors[entrant],
            trigger_shape: shapes[trigger],
            shape: shapes[entrant],
        }),
        None => events.try_push(TouchEnded {
            entity: touch.entities[0],
            other: touch.entities[1],
            actor: actors[0],
            other_actor: actors[1],
            shape: shapes[0],
            other_shape: shapes[1],
            material: touch.materials[0],
            other_material: touch.materials[1],
        }),
    }
}

impl Touch {
    /// Returns actors and shapes.
    pub(crate) const fn parts(&self) -> [[u32; 2]; 2] {
        let [actor, shape, other_actor, other_shape] = self.key;
        [[actor, other_actor], [shape, other_shape]]
    }

    /// Returns which one is the trigger, and which has entered it.
    pub(crate) const fn trigger(&self) -> Option<(usize, usize)> {
        match self.flags & (TRIGGER | OTHER_TRIGGER) {
            0 => None,
            OTHER_TRIGGER => Some((1, 0)),
            _ => Some((0, 1)),
        }
    }

    fn new(colliders: &ColliderSet, one: ColliderHandle, two: ColliderHandle) -> Option<Self> {
        let [first, other] = [one, two].map(|handle| {
            let collider = colliders.get(handle)?;
            Some((ShapeMark::unpack(collider.user_data), collider.is_sensor(), handle))
        });
        let (mut first, mut other) = (first?, other?);
        if (other.0.actor, other.0.shape) < (first.0.actor, first.0.shape) {
            core::mem::swap(&mut first, &mut other);
        }
        let flags = if first.1 { TRIGGER } else { 0 } | if other.1 { OTHER_TRIGGER } else { 0 };
        Some(Self {
            key: [first.0.actor, first.0.shape, other.0.actor, other.0.shape],
            entities: [first.0.entity, other.0.entity],
            materials: [first.0.material, other.0.material],
            colliders: [first.2, other.2].map(collider_parts),
            flags,
        })
    }
}

/// Writes down what the simulation reports, and does nothing else.
struct Listener<'l, 'a, A: Allocator + ?Sized> {
    changes: RefCell<&'l mut Array<'a, Change, A>>,
    has_lost: Cell<bool>,
}

impl<A: Allocator + ?Sized> EventHandler for Listener<'_, '_, A> {
    fn handle_collision_event(
        &self,
        _: &RigidBodySet,
        colliders: &ColliderSet,
        event: CollisionEvent,
        _: Option<&ContactPair>,
    ) {
        // Of a shape that is gone: its touches end since it is.
        let Some(touch) = Touch::new(colliders, event.collider1(), event.collider2()) else {
            return;
        };
        let mut changes = self.changes.borrow_mut();
        let number = changes.len() as u32;
        let change = Change { touch, number, has_begun: event.started() };
        if changes.try_push(change).is_err() {
            self.has_lost.set(true);
        }
    }

    fn handle_contact_force_event(
        &self,
        _: f32,
        _: &RigidBodySet,
        _: &ColliderSet,
        _: &ContactPair,
        _: f32,
    ) {
    }

    fn handle_soft_body_tear_event(&self, _: &SoftBodySet, _: &SoftBodyTearEvent) {}
}
