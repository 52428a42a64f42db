//! Coarser levels of meshes.

use core::ops::RangeInclusive;

use loligo_compiler::{CompileError, Context, Property};
use std::format;
use std::vec::Vec;

use super::geometry::Geometry;
use crate::lod::{LODS_MAX, Lod};

/// Which share of the height of a picture a level may take over at.
const SHARES: RangeInclusive<f32> = 1.0e-4..=10.0;

/// What the hysteresis is where the source does not say.
const HYSTERESIS: f32 = 0.1;

/// Reads the levels of a mesh and appends their triangles to it: `make` makes those of one level, or
/// none where nothing is drawn.
pub(super) fn add(
    context: &mut Context<'_>,
    source: &Property,
    geometry: &mut Geometry,
    make: impl Fn(&mut Context<'_>, &Property) -> Result<Option<Geometry>, CompileError>,
) -> Result<(), CompileError> {
    geometry.hysteresis = source.number_or("lod_hysteresis", 0.0..=0.5, HYSTERESIS)?;
    let Some(lods) = source.get("lods") else { return Ok(()) };
    let items = lods.items()?;
    if items.len() > LODS_MAX {
        let reason = format!("there are {} levels", items.len());
        return Err(lods.error(reason, format!("leave {LODS_MAX} of them")));
    }
    let mut levels = Vec::new();
    for level in items {
        let share = level.need("share", "say where it takes over: `share = 0.2`")?;
        let number = share.number(SHARES)?;
        if levels.last().is_some_and(|before: &Lod| before.share <= number) {
            let reason =
                format!("the level before takes over at a share that is not above {number}");
            return Err(share.error(reason, "sort the levels, the coarsest last"));
        }
        levels.push(Lod { share: number, first_index: geometry.indices.len() as u32 });
        let Some(own) = make(context, level)? else { continue };
        if own.is_moved() || geometry.is_moved() {
            let reason = "a mesh that bones or targets move has one level";
            let remedy = "name meshes without a skin and targets, or leave `lods` out";
            return Err(level.error(reason, remedy));
        }
        geometry.append(own).map_err(|reason| level.error(reason, "make several meshes of it"))?;
    }
    geometry.lods = levels;
    Ok(())
}
