//! Which effect follows when surfaces meet.
//!
//! After Niklas Frykholm, "Events" (2009) and "Managing Coupling Part 2" (2011), where one system above
//! physics reads its events and knows what each of them means. Here that knowledge is a table, so that
//! designers write it: a wire reads an event, asks the table, and sends what it returns.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | rows: offset, count | points                            16 bytes
//! rows          | kind | two materials | least | effect | order | curve  40 bytes each
//! points        | amount | strength | ..                                   8 bytes each
//! ```
//!
//! Rows are ordered by kind, materials and least amount, so all rows of a pair are one range, which is found
//! by halving. The lower hash of a pair is first; 0 is any material.

mod image;
mod verify;

pub use image::{ImpactImage, ImpactRow};

use core::fmt;

use loligo_containers::Blob;
use loligo_ids::{IdString32, IdString64};
use loligo_resources::DataError;

/// The type of tables of effects.
pub const IMPACTS_TYPE: &str = "impacts";

/// The version of tables of effects that is compiled and read here.
pub const IMPACTS_VERSION: u32 = 1;

/// The most rows.
pub const IMPACT_ROWS_MAX: usize = 1 << 16;

/// The most points of a curve.
pub const IMPACT_POINTS_MAX: usize = 64;

/// Any material, in a row.
pub(crate) const ANY: u32 = 0;

/// What happens between two surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ImpactKind {
    /// They hit each other. Its amount is an impulse, in newton seconds.
    Impact = 0,
    /// A foot is put down. Its amount is a speed, in metres per second.
    Footstep = 1,
    /// They rub against each other. Its amount is a speed, in metres per second.
    Slide = 2,
}

impl ImpactKind {
    /// All kinds as sources call them, in the order of their numbers.
    #[cfg(feature = "compile")]
    pub(crate) const NAMES: [&str; 3] = ["impact", "footstep", "slide"];
}

/// An effect that is to be played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The name of the effect, hashed.
    pub effect: IdString64,
    /// How strong it is to be, from 0 to 1 as a rule.
    pub strength: f32,
}

/// A table of effects that was opened: a view of bytes that were verified once.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and trusts no length. Finding is O(log rows), four searches at
/// the most.
///
/// # Memory
///
/// The bytes are borrowed and read in place. The object is two slices.
///
/// # Examples
///
/// ```
/// use loligo_physics::ImpactTable;
///
/// let error = ImpactTable::open(&[0; 16]).expect_err("not a table");
/// assert!(error.to_string().starts_with("no compiled impacts: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. Rows are strictly ordered by kind, materials and least amount; of two materials the lower is first.
/// 2. Each row has 1 to [`IMPACT_POINTS_MAX`] points of the list; their amounts ascend strictly.
/// 3. All numbers are finite.
#[derive(Clone, Copy)]
pub struct ImpactTable<'b> {
    rows: &'b [ImpactRow],
    points: &'b [[f32; 2]],
}

impl<'b> ImpactTable<'b> {
    /// Opens the payload of a resource of type `impacts`. It must be at a multiple of 16, as that of a
    /// loaded resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let table = Self::open_verified(payload)?;
        table.verify()?;
        Ok(table)
    }

    /// Opens what [`open`](Self::open) has accepted before, without a second look at its rows. Calls on
    /// bytes that it would not accept can panic.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`DataError`] if it is not a blob of this type.
    pub fn open_verified(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<ImpactImage>::open_structure(payload)
            .map_err(|error| DataError::blob(IMPACTS_TYPE, error))?;
        let image = blob.root();
        Ok(Self { rows: blob.array(&image.rows), points: blob.array(&image.points) })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        verify::verify(self)
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns `true` if there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the effect when two materials meet, in either order: that of the row with both, else of one
    /// with one of them and any other, else of one with any two. Of several with the same materials it is
    /// the one with the greatest least amount that is reached; of one for each of both materials it is the
    /// first in the source. A row without an effect ends the search.
    ///
    /// # Complexity
    ///
    /// O(log rows).
    #[must_use]
    pub fn find(
        &self,
        kind: ImpactKind,
        materials: [IdString32; 2],
        amount: f32,
    ) -> Option<Impact> {
        let [a, b] = materials.map(IdString32::hash);
        let find = |pair| self.row(kind, pair, amount);
        let one = || match (find([ANY, a]), find([ANY, b])) {
            (Some(a), Some(b)) => Some(if a.order <= b.order { a } else { b }),
            (a, b) => a.or(b),
        };
        let row = find([a.min(b), a.max(b)]).or_else(one).or_else(|| find([ANY; 2]))?;
        (row.effect.hash() != 0)
            .then(|| Impact { effect: row.effect, strength: self.strength(row, amount) })
    }

    /// Returns the row of two materials with the greatest least amount that is reached.
    fn row(&self, kind: ImpactKind, pair: [u32; 2], amount: f32) -> Option<&'b ImpactRow> {
        let key = (kind as u32, pair);
        let is_before = |row: &ImpactRow| {
            let own = (row.kind, row.materials);
            own < key || own == key && row.least <= amount
        };
        let after = self.rows.partition_point(is_before);
        let row = self.rows[..after].last()?;
        ((row.kind, row.materials) == key).then_some(row)
    }

    /// Returns the strength on the row's curve, that of its ends outside of it.
    fn strength(&self, row: &ImpactRow, amount: f32) -> f32 {
        let first = row.points[0] as usize;
        let points = &self.points[first..first + row.points[1] as usize];
        let after = points.partition_point(|point| point[0] <= amount);
        match (points[..after].last(), points.get(after)) {
            (Some([from, low]), Some([to, high])) => {
                low + (high - low) * ((amount - from) / (to - from))
            }
            (Some([_, end]), None) | (None, Some([_, end])) => *end,
            (None, None) => 0.0,
        }
    }
}

impl fmt::Debug for ImpactTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImpactTable").field("rows", &self.len()).finish_non_exhaustive()
    }
}
