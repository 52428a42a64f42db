//! The layout of a treemap's rectangles.

#[cfg(test)]
mod tests;

/// A rectangle in percent of the enclosing one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Place {
    pub(super) const WHOLE: Self = Self { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };
}

/// Weighted things that share a rectangle by area, the largest first, in rows that are as square as
/// possible. Things without weight have no place.
pub(super) struct Layout<'a> {
    /// The number of things.
    pub(super) count: usize,
    pub(super) weight: &'a dyn Fn(usize) -> u64,
    /// Width over height of the rectangle.
    pub(super) aspect: f64,
}

/// A thing: its weight and its number.
type Thing = (u64, usize);

/// The free rest of the rectangle, in units of its height.
#[derive(Clone, Copy)]
struct Rest {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// A row of things: the first and the last of them, and the total area.
struct Row {
    first: Thing,
    last: Thing,
    area: f64,
}

impl Layout<'_> {
    /// Returns the place of a thing, if it has weight. O(count^2).
    pub(super) fn place(&self, wanted: usize) -> Option<Place> {
        let wanted = Some(((self.weight)(wanted), wanted)).filter(|thing| thing.0 != 0)?;
        let total: f64 = (0..self.count).map(|thing| (self.weight)(thing) as f64).sum();
        let scale = self.aspect / total;
        let mut rest = Rest { left: 0.0, top: 0.0, width: self.aspect, height: 1.0 };
        let mut next = self.next(None);
        while let Some(first) = next {
            let row = self.row(first, rest.width.min(rest.height), scale);
            if !is_before(row.last, wanted) {
                return Some(self.place_in(&row, wanted, rest, scale));
            }
            rest = rest.without(&row);
            next = self.next(Some(row.last));
        }
        None
    }

    /// Returns the thing that comes after another, or the first: the largest that is not before it.
    fn next(&self, after: Option<Thing>) -> Option<Thing> {
        let things = (0..self.count).map(|thing| ((self.weight)(thing), thing));
        things
            .filter(|&thing| thing.0 != 0 && after.is_none_or(|after| is_before(after, thing)))
            .reduce(|best, thing| if is_before(thing, best) { thing } else { best })
    }

    /// Fills a row along a side of that length, until its worst rectangle would get worse.
    fn row(&self, first: Thing, side: f64, scale: f64) -> Row {
        let area = |thing: Thing| thing.0 as f64 * scale;
        let worst = |sum: f64, last: f64| {
            let square = side * side / (sum * sum);
            (square * area(first)).max(1.0 / (square * last))
        };
        let mut row = Row { first, last: first, area: area(first) };
        while let Some(thing) = self.next(Some(row.last)) {
            let more = row.area + area(thing);
            if worst(more, area(thing)) > worst(row.area, area(row.last)) {
                break;
            }
            row = Row { last: thing, area: more, ..row };
        }
        row
    }

    /// Returns the place of a thing in its row, which runs along the shorter side of the free rest.
    fn place_in(&self, row: &Row, wanted: Thing, rest: Rest, scale: f64) -> Place {
        let mut before = 0.0;
        let mut at = Some(row.first);
        while let Some(thing) = at.filter(|&thing| is_before(thing, wanted)) {
            before += thing.0 as f64 * scale / row.area;
            at = self.next(Some(thing));
        }
        let share = wanted.0 as f64 * scale / row.area;
        let (left, top, width, height) = if rest.is_wide() {
            let (before, share) = (before * rest.height, share * rest.height);
            (rest.left, rest.top + before, row.area / rest.height, share)
        } else {
            let (before, share) = (before * rest.width, share * rest.width);
            (rest.left + before, rest.top, share, row.area / rest.width)
        };
        let across = 100.0 / self.aspect;
        Place {
            left: left * across,
            top: top * 100.0,
            width: width * across,
            height: height * 100.0,
        }
    }
}

impl Rest {
    fn is_wide(self) -> bool {
        self.width >= self.height
    }

    fn without(self, row: &Row) -> Self {
        if self.is_wide() {
            let taken = row.area / self.height;
            Self { left: self.left + taken, width: (self.width - taken).max(1e-9), ..self }
        } else {
            let taken = row.area / self.width;
            Self { top: self.top + taken, height: (self.height - taken).max(1e-9), ..self }
        }
    }
}

/// The order of things: larger ones first, of equal ones the lower number.
fn is_before(one: Thing, other: Thing) -> bool {
    one.0 > other.0 || (one.0 == other.0 && one.1 < other.1)
}
