//! Height fields of a grid of numbers, or of a picture.

use std::format;
use std::vec::Vec;

use loligo_compiler::{CompileError, Context, Property};
use loligo_formats::Picture;

use super::bytes_of;
use super::draft::{CollisionDraft, DraftShape};
use crate::collision::{HEIGHTS, HEIGHTS_SIDE_MAX};
use crate::ranges::{PLACE, SIDE};

/// Reads a height field.
pub(super) fn read_heights(
    context: &mut Context<'_>,
    draft: &mut CollisionDraft,
    shape: &mut DraftShape,
    form: &Property,
) -> Result<(), CompileError> {
    form.allow(&["size", "picture", "rows"])?;
    let size = form.need("size", "say how large it is: `size = [ 100 20 100 ]`")?;
    shape.size = size.numbers(SIDE)?;
    let (columns, heights) = match (form.get("picture"), form.get("rows")) {
        (Some(picture), None) => read_picture(context, picture)?,
        (None, Some(rows)) => read_rows(rows)?,
        _ => {
            let reason = "heights are of a `picture` or of `rows`";
            return Err(form.error(reason, "give it one of both"));
        }
    };
    let rows = heights.len() / columns.max(1);
    let sides = 2..=HEIGHTS_SIDE_MAX;
    if !sides.contains(&rows) || !sides.contains(&columns) {
        let reason = format!("there are {rows} rows of {columns} heights");
        return Err(form.error(reason, format!("2 to {HEIGHTS_SIDE_MAX} are possible")));
    }
    shape.form = HEIGHTS;
    shape.heights = [draft.add_heights(heights), rows as u32, columns as u32];
    Ok(())
}

/// Returns the pixels of a row, and how bright each pixel is, from 0 to 1.
fn read_picture(
    context: &mut Context<'_>,
    named: &Property,
) -> Result<(usize, Vec<f32>), CompileError> {
    let bytes = bytes_of(context, named)?;
    let picture = Picture::read(&bytes, HEIGHTS_SIDE_MAX as u32);
    let picture = picture.map_err(|error| match named.string() {
        Ok(path) => error.in_file(path),
        Err(error) => error,
    })?;
    let brightness = |[red, green, blue, _]: &[u8; 4]| {
        (f32::from(*red) + f32::from(*green) + f32::from(*blue)) / 765.0
    };
    let heights = picture.pixels.as_chunks().0.iter().map(brightness).collect();
    Ok((picture.width as usize, heights))
}

/// Returns the heights of a row, and all heights.
fn read_rows(list: &Property) -> Result<(usize, Vec<f32>), CompileError> {
    let rows = list.items()?;
    let columns = rows.first().map_or(Ok(0), |row| row.items().map(<[_]>::len))?;
    let mut heights = Vec::new();
    for row in rows {
        let items = row.items()?;
        if items.len() != columns {
            let reason = format!("a row has {} heights, and the first {columns}", items.len());
            return Err(row.error(reason, "make all rows of the same length"));
        }
        for item in items {
            heights.push(item.number(PLACE)?);
        }
    }
    Ok((columns, heights))
}
