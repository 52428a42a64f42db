//! The numbers of many entities, copied for one call of a script, and what it wrote put back.
//!
//! ```text
//! ids       | 7 | 9 | 4 |
//! numbers   | x x x | y y y | z z z | qx qx qx | ..      a column after the other: each is a view
//! before    | x x x | y y y | ..                         as they were, to find what was written
//! ```
//!
//! Only what differs afterwards is set: an entity that the script left alone keeps what calls such as
//! `Transform.set_position` made of it meanwhile, and its matrix is not computed again.

use glam::{Quat, Vec3};
use loligo_allocators::{AllocError, Arena as _};
use loligo_containers::{Array, GrowError};
use loligo_entities::{Entity, Transforms};
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
    fn add(&mut self, index: usize, id: u32) {
        if self.count == 0 {
            self.first = (index + 1, id);
        }
        self.count += 1;
    }
}

/// What was not put back.
#[derive(Default)]
pub(super) struct Losses {
    /// For which column, and whose numbers were refused.
    pub(super) refused: [(Option<Column>, Dropped); Column::ALL.len()],
    /// Who was destroyed in the meantime.
    pub(super) gone: Dropped,
}

/// The entities of a call, and their numbers.
pub(super) struct Columns<'f> {
    which: &'f [Column],
    ids: &'f [u32],
    numbers: &'f mut [f32],
    before: &'f [f32],
}

impl<'f> Columns<'f> {
    /// Copies the numbers of entities, all of which have a transform if there is any column.
    pub(super) fn try_gather<'m>(
        which: &'f [Column],
        ids: &'f [u32],
        transforms: &Transforms<'m, SharedAllocator<'m>>,
        memory: &'f FrameMemory<'m>,
    ) -> Result<Self, AllocError> {
        let width: usize = which.iter().map(|column| column.width()).sum();
        let numbers = memory.try_alloc_slice_fill_with(width * ids.len(), |_| 0.0)?;
        let mut rest = &mut *numbers;
        for column in which {
            let (own, others) = rest.split_at_mut(column.width() * ids.len());
            rest = others;
            let pose = |entity| transforms.pose(entity);
            match column {
                Column::Position => fill(ids, own, |entity| Some(pose(entity)?.position.into())),
                Column::Rotation => fill(ids, own, |entity| Some(pose(entity)?.rotation.into())),
                Column::Scale => fill(ids, own, |entity| Some(pose(entity)?.scale.into())),
                Column::WorldPosition => {
                    fill(ids, own, |entity| Some(transforms.world(entity)?.translation.into()));
                }
            }
        }
        let before = memory.try_alloc_slice_copy(numbers)?;
        Ok(Self { which, ids, numbers, before })
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
            let columns = (self.ids, &self.numbers[range.clone()], &self.before[range]);
            let gone = &mut Dropped::default();
            match column {
                Column::Position => put(columns, refused, gone, |entity, position| {
                    finite(position).map(|to| transforms.set_position(entity, to))
                }),
                Column::Rotation => put(columns, refused, gone, |entity, rotation| {
                    turned(rotation).map(|to| transforms.set_rotation(entity, to))
                }),
                Column::Scale => put(columns, refused, gone, |entity, scale| {
                    finite(scale).map(|to| transforms.set_scale(entity, to))
                }),
                Column::WorldPosition => {}
            }
            // An entity is counted once, however many of its columns were written.
            if gone.count > losses.gone.count {
                losses.gone = *gone;
            }
        }
        losses
    }
}

/// Fills `N` columns with the numbers of entities, those of one that has none with 0.
#[inline]
fn fill<const N: usize>(
    ids: &[u32],
    columns: &mut [f32],
    numbers: impl Fn(Entity) -> Option<[f32; N]>,
) {
    let mut columns = columns.chunks_exact_mut(ids.len().max(1));
    let mut columns: [&mut [f32]; N] = core::array::from_fn(|_| columns.next().unwrap_or_default());
    for (index, id) in ids.iter().enumerate() {
        let Some(own) = Entity::from_bits(*id).and_then(&numbers) else { continue };
        for (column, number) in columns.iter_mut().zip(own) {
            column[index] = number;
        }
    }
}

/// Calls `set` for each entity whose numbers differ from those before; it returns `None` for numbers
/// that mean nothing, and `false` for an entity that is gone.
#[inline]
fn put<const N: usize>(
    (ids, numbers, before): (&[u32], &[f32], &[f32]),
    refused: &mut Dropped,
    gone: &mut Dropped,
    mut set: impl FnMut(Entity, [f32; N]) -> Option<bool>,
) {
    let of = |all: &'_ [f32], index: usize| -> [f32; N] {
        core::array::from_fn(|column| all[column * ids.len() + index])
    };
    for (index, id) in ids.iter().enumerate() {
        let own = of(numbers, index);
        if own.map(f32::to_bits) == of(before, index).map(f32::to_bits) {
            continue;
        }
        match Entity::from_bits(*id).map_or(Some(false), |entity| set(entity, own)) {
            Some(true) => {}
            Some(false) => gone.add(index, *id),
            None => refused.add(index, *id),
        }
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
