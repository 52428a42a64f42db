//! Checking a table of effects once, when it comes in.

use loligo_resources::DataError;

use super::{IMPACT_POINTS_MAX, IMPACT_ROWS_MAX, IMPACTS_TYPE, ImpactRow, ImpactTable};
use crate::ranges::{AMOUNT, STRENGTH};

/// Checks the invariants of a table of effects.
pub(super) fn verify(table: &ImpactTable<'_>) -> Result<(), DataError> {
    let wrong =
        |field, must, found: usize| Err(DataError::part(IMPACTS_TYPE, field, must, found as u64));
    if table.rows.len() > IMPACT_ROWS_MAX {
        return wrong("rows", "65536 at the most", table.rows.len());
    }
    let is_wrong = |row: &ImpactRow| {
        let [low, high] = row.materials;
        row.kind > 2 || low > high || !AMOUNT.contains(&row.least)
    };
    if let Some(at) = table.rows.iter().position(is_wrong) {
        return wrong("rows", "of a kind, ordered materials and a finite least amount", at);
    }
    let is_ordered = |two: &[ImpactRow]| {
        let key = |row: &ImpactRow| (row.kind, row.materials);
        let [a, b] = two else { return true };
        key(a) < key(b) || key(a) == key(b) && a.least < b.least
    };
    if let Some(at) = table.rows.windows(2).position(|two| !is_ordered(two)) {
        return wrong("rows", "ordered by kind, materials and least amount", at);
    }
    let is_right = |row: &ImpactRow| {
        let [first, count] = row.points.map(|number| number as usize);
        let points = first.checked_add(count).and_then(|end| table.points.get(first..end));
        points.is_some_and(|points| {
            (1..=IMPACT_POINTS_MAX).contains(&points.len())
                && points.windows(2).all(|two| two[0][0] < two[1][0])
                && points.iter().all(|[x, y]| AMOUNT.contains(x) && STRENGTH.contains(y))
        })
    };
    match table.rows.iter().position(|row| !is_right(row)) {
        Some(at) => wrong("points", "1 to 64 of each row, whose amounts ascend", at),
        None => Ok(()),
    }
}
