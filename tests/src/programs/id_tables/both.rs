//! A table and the map that it is compared with.

use std::collections::{BTreeMap, BTreeSet};

use loligo_allocators::Allocator;
use loligo_ids::{
    FreeList, GenerationEnd, Id, InsertAtError, InsertError, NotReserved, Repr, Shape, Table,
    TableId,
};

use crate::programs::model_op::{Beside, same};

use super::maps::Maps;
use super::{AtEnd, IdTableOp};

pub(super) type Ids<R, const INDEX: u32, const GENERATION: u32> = Id<u32, R, INDEX, GENERATION>;

/// A table, and what it must hold.
pub(super) struct Both<'a, S, F, E, R, const INDEX: u32, const GENERATION: u32>
where
    S: Shape,
    F: FreeList,
    E: GenerationEnd,
    R: Repr,
{
    pub(super) table: Table<'a, S, u32, Ids<R, INDEX, GENERATION>, F, E>,
    pub(super) at_end: AtEnd,
    pub(super) memory: &'a dyn Allocator,
    /// The tag of the table.
    pub(super) tag: u64,
    pub(super) live: BTreeMap<Ids<R, INDEX, GENERATION>, u32>,
    pub(super) reserved: BTreeSet<Ids<R, INDEX, GENERATION>>,
    /// All that were given out or inserted at, most of them gone.
    pub(super) known: Vec<Ids<R, INDEX, GENERATION>>,
    /// The last generation of each slot that had one.
    pub(super) last: BTreeMap<u64, u64>,
    next: u32,
    maps: Maps<'a, Ids<R, INDEX, GENERATION>>,
}

impl<S, F, E, R, const INDEX: u32, const GENERATION: u32> Beside
    for Both<'_, S, F, E, R, INDEX, GENERATION>
where
    S: Shape,
    F: FreeList,
    E: GenerationEnd,
    R: Repr,
{
    type Op = IdTableOp;

    fn lose(&mut self) {
        if let Some(id) = self.live.keys().next() {
            self.table.remove(*id);
        }
    }

    fn step(&mut self, op: IdTableOp) -> Result<bool, String> {
        use IdTableOp as Op;
        let served = match op {
            Op::Insert => self.insert()?,
            Op::ReserveId => self.reserve_id()?,
            Op::InsertBatch { count } => self.insert_batch(count)?,
            Op::Reserve { count } => self.reserve(count)?,
            Op::InsertAt { which } => match self.pick(which) {
                Some(id) => self.insert_at(id)?,
                None => true,
            },
            Op::InsertAtForged { count, at } => {
                let tag = self.tag.wrapping_add((count >> 6 == 3).into());
                let id = self.forged(tag, count.into(), at.into());
                id.map_or(Ok(true), |id| self.insert_at(id))?
            }
            Op::SaveAndRestore => self.save_and_restore()?,
            Op::Check => self.compare().map(|()| true)?,
            Op::Clear => {
                self.table.clear();
                self.live.clear();
                true
            }
            Op::Remove { .. } | Op::RemoveBatch { .. } | Op::Retain { .. } | Op::Drain { .. } => {
                self.remove(op).map(|()| true)?
            }
            Op::Get { .. } | Op::GetForged { .. } | Op::Fill { .. } | Op::GiveUp { .. } => {
                self.look(op).map(|()| true)?
            }
            Op::InsertWith
            | Op::GetBySlot { .. }
            | Op::RemoveBySlot { .. }
            | Op::Shrink
            | Op::Clone
            | Op::Rebuild
            | Op::Extend { .. } => self.whole(op)?,
            Op::MapInsert { which }
            | Op::MapEntry { which, .. }
            | Op::MapRemove { which }
            | Op::MapGet { which, .. } => match self.pick(which) {
                Some(id) => {
                    let other = if let Op::MapGet { at, .. } = op { self.pick(at) } else { None };
                    let number = self.number();
                    self.maps.step_at(op, id, other.unwrap_or(id), number)?
                }
                None => true,
            },
            Op::MapRetain | Op::MapShrink | Op::MapClone | Op::MapClear => {
                self.maps.step(op, &self.live)?
            }
        };
        same("length", self.table.len(), self.live.len())?;
        Ok(served)
    }

    fn compare(&self) -> Result<(), String> {
        self.table.validate().map_err(|damage| damage.to_string())?;
        let visited: Vec<_> =
            self.table.iter_with_ids().map(|(id, object)| (id, *object)).collect();
        same("visited", visited.len(), self.live.len())?;
        same("objects", visited.into_iter().collect(), self.live.clone())?;
        for id in &self.known {
            same("object", self.table.get(*id), self.live.get(id))?;
            same("reserved", self.table.is_reserved(*id), self.reserved.contains(id))?;
        }
        let stats = self.table.stats();
        same("live", stats.live, self.live.len() as u64)?;
        same("reserved", stats.reserved, self.reserved.len() as u64)?;
        same("tag", self.table.tag(), self.tag)?;
        self.maps.compare(&self.known)
    }
}

impl<'a, S, F, E, R, const INDEX: u32, const GENERATION: u32>
    Both<'a, S, F, E, R, INDEX, GENERATION>
where
    S: Shape,
    F: FreeList,
    E: GenerationEnd,
    R: Repr,
{
    pub(super) fn new(
        table: Table<'a, S, u32, Ids<R, INDEX, GENERATION>, F, E>,
        at_end: AtEnd,
        memory: &'a dyn Allocator,
    ) -> Self {
        let (live, reserved) = (BTreeMap::new(), BTreeSet::new());
        let (tag, maps) = (table.tag(), Maps::new(memory));
        let (known, last, next) = (Vec::new(), BTreeMap::new(), 0);
        Self { table, at_end, memory, tag, live, reserved, known, last, next, maps }
    }

    fn pick(&self, which: u16) -> Option<Ids<R, INDEX, GENERATION>> {
        self.known.get(usize::from(which) % self.known.len().max(1)).copied()
    }

    pub(super) fn number(&mut self) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.next
    }

    /// Returns the id of these parts, each cut to the bits that it has; `None` for generation 0.
    fn forged(&self, tag: u64, generation: u64, index: u64) -> Option<Ids<R, INDEX, GENERATION>> {
        let tags = (1_u64 << <Ids<R, INDEX, GENERATION> as TableId>::TAG_BITS) - 1;
        let tag = (tag & tags).checked_shl(INDEX + GENERATION).unwrap_or(0);
        let (generation, index) = (generation % (1 << GENERATION), index % (1 << INDEX));
        let bits = R::try_from(tag | (generation << INDEX) | index).ok()?;
        Ids::from_bits(bits)
    }

    /// Compares an id that was given out with the one that its slot must give, and notes it.
    pub(super) fn note(&mut self, id: Ids<R, INDEX, GENERATION>) -> Result<(), String> {
        let most = (1 << GENERATION) - 1;
        let expected = match self.last.get(&id.index().into()) {
            None => 1,
            Some(&last) if last < most => last + 1,
            Some(_) if self.at_end == AtEnd::Wraps => 1,
            Some(last) => {
                return Err(format!("{id:?} of a slot that has lived all its {last} lives"));
            }
        };
        same("generation", id.generation().into(), expected)?;
        same("tag", id.tag().into(), self.tag)?;
        self.take_over(id);
        Ok(())
    }

    fn take_over(&mut self, id: Ids<R, INDEX, GENERATION>) {
        self.last.insert(id.index().into(), id.generation().into());
        self.known.push(id);
    }

    /// Returns `true` if memory was had, and whether any other refusal is right.
    pub(super) fn served(&self, outcome: Result<(), InsertError>) -> Result<bool, String> {
        match outcome {
            Ok(()) => Ok(true),
            Err(InsertError::Memory { .. }) => Ok(false),
            Err(InsertError::Full { limit, live, reserved, retired, held_back }) => {
                same("limit", limit, self.table.limit() as u64)?;
                same("live", live, self.live.len() as u64)?;
                same("reserved", reserved, self.reserved.len() as u64)?;
                same("full", live + reserved + retired + held_back, limit).map(|()| true)
            }
            Err(InsertError::Spent { index, generations }) => {
                same("refuses", self.at_end == AtEnd::Refuses, true)?;
                let last = self.last.get(&index).copied();
                same("spent", last, Some(generations)).map(|()| true)
            }
        }
    }

    fn insert(&mut self) -> Result<bool, String> {
        let number = self.number();
        let outcome = self.table.insert(number);
        if let Ok(id) = outcome {
            self.note(id)?;
            self.live.insert(id, number);
        }
        self.served(outcome.map(drop))
    }

    fn reserve_id(&mut self) -> Result<bool, String> {
        let outcome = self.table.reserve_id();
        if let Ok(id) = outcome {
            self.note(id)?;
            self.reserved.insert(id);
        }
        self.served(outcome.map(drop))
    }

    fn reserve(&mut self, count: u8) -> Result<bool, String> {
        let outcome = self.table.reserve(count.into());
        if let Err(InsertError::Full { .. }) = outcome {
            let all = self.live.len() + self.reserved.len() + usize::from(count);
            let stats = self.table.stats();
            let room = stats.limit - stats.retired - stats.held_back;
            return same("too many", all as u64 > room, true).map(|()| true);
        }
        self.served(outcome)
    }

    fn insert_batch(&mut self, count: u8) -> Result<bool, String> {
        let first = self.next + 1;
        self.next += u32::from(count);
        let mut made = Vec::new();
        let outcome = self.table.insert_batch(first..first + u32::from(count), |id| made.push(id));
        for (&id, number) in made.iter().zip(first..) {
            self.note(id)?;
            self.live.insert(id, number);
        }
        match outcome {
            Ok(inserted) => {
                same("inserted", (inserted, made.len()), (count.into(), count.into()))?;
                Ok(true)
            }
            Err(InsertError::Full { .. }) => Ok(true),
            Err(error) => self.served(Err(error)),
        }
    }

    fn insert_at(&mut self, id: Ids<R, INDEX, GENERATION>) -> Result<bool, String> {
        let number = self.number();
        let outcome = self.table.insert_at(id, number);
        let of_slot = |other: &Ids<R, INDEX, GENERATION>| other.index() == id.index();
        let is_taken = self.live.keys().any(of_slot) || self.reserved.iter().any(of_slot);
        let is_beyond = id.index().into() >= self.table.limit() as u64;
        let kind = match outcome {
            Err(InsertAtError::Memory { .. }) => return Ok(false),
            Err(InsertAtError::Foreign { .. }) => "foreign",
            Err(InsertAtError::Beyond { .. }) => "beyond",
            Err(InsertAtError::Taken { .. }) => "taken",
            Ok(()) => "inserted",
        };
        let expected = match () {
            () if id.tag().into() != self.tag => "foreign",
            () if is_beyond => "beyond",
            () if is_taken => "taken",
            () => "inserted",
        };
        same("insert_at", kind, expected)?;
        if outcome.is_ok() {
            self.take_over(id);
            self.live.insert(id, number);
        }
        Ok(true)
    }

    fn look(&mut self, op: IdTableOp) -> Result<(), String> {
        if let IdTableOp::GetForged { which, at } = op {
            let tag = if which & 0x100 == 0 { self.tag } else { (which >> 9).into() };
            let id = self.forged(tag, (which & 0xff).into(), at.into());
            let Some(id) = id else { return Ok(()) };
            same("reserved", self.table.is_reserved(id), self.reserved.contains(&id))?;
            return same("object", self.table.get(id), self.live.get(&id));
        }
        let (IdTableOp::Get { which, .. }
        | IdTableOp::Fill { which }
        | IdTableOp::GiveUp { which }) = op
        else {
            return Ok(());
        };
        let Some(id) = self.pick(which) else { return Ok(()) };
        match op {
            IdTableOp::Get { at, .. } => {
                let other = self.pick(at).unwrap_or(id);
                let both =
                    id != other && self.live.contains_key(&id) && self.live.contains_key(&other);
                same("two at once", self.table.get_many_mut([id, other]).is_some(), both)?;
                let number = self.number();
                let (ours, models) = (self.table.get_mut(id), self.live.get_mut(&id));
                same("object", ours.as_deref(), models.as_deref())?;
                if let (Some(ours), Some(models)) = (ours, models) {
                    (*ours, *models) = (number, number);
                }
                Ok(())
            }
            IdTableOp::Fill { .. } => {
                let number = self.number();
                let is_reserved = self.reserved.remove(&id);
                if is_reserved {
                    self.live.insert(id, number);
                }
                let expected = if is_reserved { Ok(()) } else { Err(NotReserved) };
                same("filled", self.table.fill(id, number), expected)
            }
            _ => same("given up", self.table.give_up(id), self.reserved.remove(&id)),
        }
    }

    fn remove(&mut self, op: IdTableOp) -> Result<(), String> {
        match op {
            IdTableOp::RemoveBatch { count, which } => {
                let all = self.known.len().max(1);
                let from = usize::from(which) % all;
                let ids = self.known[from.min(self.known.len())..].iter().take(count.into());
                let expected = ids.clone().filter(|&id| self.live.remove(id).is_some()).count();
                same("removed", self.table.remove_batch(ids.copied()), expected)
            }
            IdTableOp::Retain { count } => {
                let keep = |object: u32| !object.is_multiple_of(u32::from(count) % 7 + 2);
                let mut asked = BTreeMap::new();
                self.table.retain(|id, object| {
                    asked.insert(id, *object);
                    keep(*object)
                });
                same("asked about", &asked, &self.live)?;
                self.live.retain(|_, object| keep(*object));
                Ok(())
            }
            IdTableOp::Drain { count } => {
                let taken: Vec<_> = self.table.drain().take(count.into()).collect();
                let expected = usize::from(count).min(self.live.len());
                same("drained", taken.len(), expected)?;
                for (id, object) in taken {
                    same("drained", Some(object), self.live.remove(&id))?;
                }
                self.live.clear();
                Ok(())
            }
            IdTableOp::Remove { which } => {
                let Some(id) = self.pick(which) else { return Ok(()) };
                same("removed", self.table.remove(id), self.live.remove(&id))
            }
            _ => Ok(()),
        }
    }

    fn save_and_restore(&mut self) -> Result<bool, String> {
        let mut image = vec![0; self.table.saved_len()];
        self.table.save(&mut image).map_err(|error| error.to_string())?;
        let restored = match Table::restore_in(&image, self.memory) {
            Ok(restored) => restored,
            Err(error) if error.what.starts_with("there is no memory") => return Ok(false),
            Err(error) => return Err(error.to_string()),
        };
        self.table = restored;
        let mut again = vec![0; self.table.saved_len()];
        self.table.save(&mut again).map_err(|error| error.to_string())?;
        same("saved again", again == image, true)?;
        self.compare().map(|()| true)
    }
}
