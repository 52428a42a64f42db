//! The numbers of many entities, copied for one call of a script, and what it wrote put back.
//!
//! ```text
//! ids       | 7 | 9 | 4 |
//! numbers   | x x x | y y y | z z z | qx qx qx | ..      a column after the other: each is a view
//! before    | x x x | y y y | ..                         as they were, to find what was written
//! ```
//!
//! Only what differs afterwards is set: an entity that the script left alone keeps what calls such
//! as `Transform.set_position` made of it meanwhile, and its matrix is not computed again.

use core::ops::Range;

use glam::{Quat, Vec3};
use loligo_allocators::{AllocError, Arena as _};
use loligo_containers::{Array, GrowError};
use loligo_entities::{Entity, TransformRun, TransformRunMut, Transforms};
use loligo_script::View;

use super::ENTITY;
use crate::memory::{FrameMemory, SharedAllocator};

/// Numbers of an entity that scripts may have as columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// x, y and z, in the space of the parent.
    Position,
    /// x, y, z and w of the quaternion, in the space of the parent.
    Rotation,
    /// x, y and z.
    Scale,
    /// x, y and z in the world, when the last frame ended; to be read.
    WorldPosition,
}

impl Column {
    /// All of them, by the words that name them in a script.
    pub(super) const ALL: [(&str, Self); 4] = [
        ("position", Self::Position),
        ("rotation", Self::Rotation),
        ("scale", Self::Scale),
        ("world_position", Self::WorldPosition),
    ];

    /// Returns how many views it has.
    const fn width(self) -> usize {
        match self {
            Self::Rotation => 4,
            Self::Position | Self::Scale | Self::WorldPosition => 3,
        }
    }

    const fn is_written(self) -> bool {
        !matches!(self, Self::WorldPosition)
    }

    /// Returns what is wrong with numbers that were refused, and what to do.
    pub(super) const fn refusal(self) -> [&'static str; 2] {
        match self {
            Self::Rotation => [
                "a rotation that is infinite, no number or of length 0",
                "write x, y, z and w of a quaternion of length 1",
            ],
            Self::Position | Self::WorldPosition => [
                "a position that is infinite or no number",
                "look for a division by 0 or the root of a negative number",
            ],
            Self::Scale => [
                "a scale that is infinite or no number",
                "look for a division by 0 or the root of a negative number",
            ],
        }
    }
}

/// Entities for which something was not put back.
#[derive(Clone, Copy, Default)]
pub(super) struct Dropped {
    pub(super) count: usize,
    /// The index in the views, from 1 on, and the bits of the first one.
    pub(super) first: (usize, u32),
}

impl Dropped {
    fn add(&mut self, index: usize, entity: Entity) {
        if self.count == 0 {
            self.first = (index + 1, entity.to_bits());
        }
        self.count += 1;
    }
}

/// What was not put back.
#[derive(Default)]
pub(super) struct Losses {
    /// For each column, which numbers were refused.
    pub(super) refused: [(Option<Column>, Dropped); Column::ALL.len()],
    /// Which were destroyed in the meantime.
    pub(super) gone: Dropped,
}

/// The entities of a call, and their numbers.
pub(super) struct Columns<'f> {
    which: &'f [Column],
    entities: &'f [Entity],
    ids: &'f [u32],
    numbers: &'f mut [f32],
    before: &'f [f32],
}

type Run<'t, 'm> = TransformRunMut<'t, 'm, SharedAllocator<'m>>;

impl<'f> Columns<'f> {
    /// Copies the numbers of entities, all of which have a transform if there is any column.
    pub(super) fn try_gather<'m>(
        which: &'f [Column],
        entities: &'f [Entity],
        transforms: &Transforms<'m, SharedAllocator<'m>>,
        memory: &'f FrameMemory<'m>,
    ) -> Result<Self, AllocError> {
        let count = entities.len();
        let ids = memory.try_alloc_slice_fill_with(count, |index| entities[index].to_bits())?;
        let width: usize = which.iter().map(|column| column.width()).sum();
        let numbers = memory.try_alloc_slice_fill_with(width * count, |_| 0.0)?;
        if width > 0 {
            for run in transforms.runs(entities) {
                gather_run(which, &run, count, numbers);
            }
        }
        let before = memory.try_alloc_slice_copy(numbers)?;
        Ok(Self { which, entities, ids, numbers, before })
    }

    /// Returns a view of the ids, and one for each column of numbers.
    pub(super) fn try_views<'v, 'm>(
        &'v mut self,
        memory: &'v FrameMemory<'m>,
    ) -> Result<Array<'v, View<'v>, FrameMemory<'m>>, GrowError> {
        let mut views = Array::try_with_capacity_in(loligo_script::VIEWS_MAX, memory)?;
        views.try_push(View::Ids(ENTITY, self.ids))?;
        let mut columns = self.numbers.chunks_exact_mut(self.ids.len().max(1));
        for column in self.which {
            for numbers in columns.by_ref().take(column.width()) {
                let view = if column.is_written() {
                    View::FloatsMut(numbers)
                } else {
                    View::Floats(numbers)
                };
                views.try_push(view)?;
            }
        }
        Ok(views)
    }

    /// Sets what differs from what was there.
    pub(super) fn put_back<'m>(
        &self,
        transforms: &mut Transforms<'m, SharedAllocator<'m>>,
    ) -> Losses {
        let (mut losses, mut from) = (Losses::default(), 0);
        for (column, (of, refused)) in self.which.iter().zip(&mut losses.refused) {
            *of = Some(*column);
            let range = from..from + column.width() * self.ids.len();
            from = range.end;
            let written = Written {
                entities: self.entities,
                numbers: &self.numbers[range.clone()],
                before: &self.before[range],
            };
            let gone = match column {
                Column::Position => written.put(transforms, refused, |run, index, position| {
                    finite(position).map(|to| run.set_position(index, to))
                }),
                Column::Rotation => written.put(transforms, refused, |run, index, rotation| {
                    turned(rotation).map(|to| run.set_rotation(index, to))
                }),
                Column::Scale => written.put(transforms, refused, |run, index, scale| {
                    finite(scale).map(|to| run.set_scale(index, to))
                }),
                Column::WorldPosition => continue,
            };
            // An entity is counted once, however many of its columns were written.
            if gone.count > losses.gone.count {
                losses.gone = gone;
            }
        }
        losses
    }
}

/// Copies the numbers of neighbours into columns of `count` numbers each.
fn gather_run(which: &[Column], run: &TransformRun<'_>, count: usize, numbers: &mut [f32]) {
    let mut rest = numbers;
    for column in which {
        let (own, others) = rest.split_at_mut(column.width() * count);
        rest = others;
        match column {
            Column::Position => fill(own, count, run, |index| run.positions[index].into()),
            Column::Rotation => fill(own, count, run, |index| run.rotations[index].into()),
            Column::Scale => fill(own, count, run, |index| run.scales[index].into()),
            Column::WorldPosition => {
                fill(own, count, run, |index| run.worlds[index].translation.into());
            }
        }
    }
}

/// Fills the part of `N` columns that is of a run.
#[inline]
fn fill<const N: usize>(
    columns: &mut [f32],
    count: usize,
    run: &TransformRun<'_>,
    numbers: impl Fn(usize) -> [f32; N],
) {
    let mut columns = columns.chunks_exact_mut(count);
    let mut columns: [&mut [f32]; N] = core::array::from_fn(|_| {
        let column = columns.next().unwrap_or_default();
        &mut column[run.first..run.first + run.len()]
    });
    for index in 0..run.len() {
        for (column, number) in columns.iter_mut().zip(numbers(index)) {
            column[index] = number;
        }
    }
}

/// What a script wrote into the views of a column.
struct Written<'w> {
    entities: &'w [Entity],
    numbers: &'w [f32],
    before: &'w [f32],
}

impl Written<'_> {
    /// Calls `set` for each entity whose numbers differ from those before; it returns `None` for
    /// numbers that mean nothing. Returns which entities are gone.
    #[inline]
    fn put<'m, const N: usize>(
        &self,
        transforms: &mut Transforms<'m, SharedAllocator<'m>>,
        refused: &mut Dropped,
        set: impl Fn(&mut Run<'_, 'm>, usize, [f32; N]) -> Option<()>,
    ) -> Dropped {
        let (mut gone, mut next) = (Dropped::default(), 0);
        transforms.edit_runs(self.entities, |mut run| {
            let (first, len) = (run.first(), run.len());
            self.note_gone::<N>(next..first, &mut gone);
            next = first + len;
            let [numbers, before] =
                [self.numbers, self.before].map(|all| self.part::<N>(all, first, len));
            for index in 0..len {
                let own = numbers.map(|column| column[index]);
                if own.map(f32::to_bits) != before.map(|column| column[index].to_bits())
                    && set(&mut run, index, own).is_none()
                {
                    refused.add(first + index, self.entities[first + index]);
                }
            }
        });
        self.note_gone::<N>(next..self.entities.len(), &mut gone);
        gone
    }

    /// Adds those of a range that were written, and have no transform any more.
    #[inline]
    fn note_gone<const N: usize>(&self, range: Range<usize>, gone: &mut Dropped) {
        for index in range {
            let [own, before] = [self.numbers, self.before]
                .map(|all| self.part::<N>(all, index, 1).map(|column| column[0].to_bits()));
            if own != before {
                gone.add(index, self.entities[index]);
            }
        }
    }

    /// Returns some elements of each column.
    #[inline]
    fn part<'p, const N: usize>(&self, all: &'p [f32], first: usize, len: usize) -> [&'p [f32]; N] {
        let count = self.entities.len();
        core::array::from_fn(|column| &all[column * count + first..][..len])
    }
}

fn finite(numbers: [f32; 3]) -> Option<Vec3> {
    let vector = Vec3::from_array(numbers);
    vector.is_finite().then_some(vector)
}

/// Returns the rotation of four numbers, of length 1: they are rounded one by one.
fn turned(numbers: [f32; 4]) -> Option<Quat> {
    let rotation = Quat::from_array(numbers);
    if rotation.is_normalized() {
        return Some(rotation);
    }
    let length = rotation.length();
    (length > 1e-6 && length.is_finite()).then(|| rotation / length)
}
