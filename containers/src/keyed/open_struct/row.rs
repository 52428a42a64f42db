//! Structs of the program as rows: their fields by name, all at once.

use loligo_allocators::Allocator;

use super::{Field, FieldValue, OpenArray, OpenError, OpenStruct};

/// A struct whose fields can be fields of an [`OpenArray`]: `#[derive(OpenRow)]`, with the feature
/// `derive`, implements it and adds a constant of the struct for each field.
///
/// A row may have more fields than the struct; those stay as they are.
///
/// # Examples
///
/// What is derived, by hand:
///
/// ```
/// use loligo_allocators::{Allocator, StaticHeap};
/// use loligo_containers::{Field, OpenArray, OpenError, OpenLayout, OpenRow};
/// use loligo_ids::id32;
///
/// struct Health {
///     points: i32,
/// }
///
/// impl Health {
///     const POINTS: Field<i32> = Field::new(id32!("points"));
/// }
///
/// impl OpenRow for Health {
///     fn try_add_to<A: Allocator + ?Sized>(array: &mut OpenArray<'_, A>) -> Result<(), OpenError> {
///         array.try_add_field(Self::POINTS).map(drop)
///     }
///     fn is_in<A: Allocator + ?Sized>(array: &OpenArray<'_, A>) -> bool {
///         array.has(Self::POINTS)
///     }
///     fn read<A: Allocator + ?Sized>(array: &OpenArray<'_, A>, row: usize) -> Option<Self> {
///         Some(Self { points: array.get(row, Self::POINTS)? })
///     }
///     fn write<A: Allocator + ?Sized>(&self, array: &mut OpenArray<'_, A>, row: usize) -> bool {
///         array.set(row, Self::POINTS, self.points)
///     }
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut units: OpenArray = OpenArray::new(OpenLayout::ArrayOfStructs, &MEMORY);
/// units.try_add_fields::<Health>()?;
/// let row = units.try_push_row(&Health { points: 80 })?;
/// assert_eq!(units.row::<Health>(row).map(|health| health.points), Some(80));
/// # Ok::<(), OpenError>(())
/// ```
#[diagnostic::on_unimplemented(
    note = "with the feature `derive` of loligo-containers, add `#[derive(OpenRow)]` to `{Self}`"
)]
pub trait OpenRow: Sized {
    /// Adds the struct's fields, those that are not there. Called by
    /// [`OpenArray::try_add_fields`], which takes back what was added before an error.
    ///
    /// # Errors
    ///
    /// As those of [`OpenArray::try_add_field`].
    fn try_add_to<A: Allocator + ?Sized>(array: &mut OpenArray<'_, A>) -> Result<(), OpenError>;

    /// Returns `true` if the array has all of the struct's fields.
    fn is_in<A: Allocator + ?Sized>(array: &OpenArray<'_, A>) -> bool;

    /// Returns the struct of a row, if there is one with all of its fields.
    fn read<A: Allocator + ?Sized>(array: &OpenArray<'_, A>, row: usize) -> Option<Self>;

    /// Sets all of the struct's fields in a row. Returns whether there are such; if one is missing,
    /// nothing was set.
    fn write<A: Allocator + ?Sized>(&self, array: &mut OpenArray<'_, A>, row: usize) -> bool;
}

impl<A: Allocator + ?Sized> OpenArray<'_, A> {
    /// Returns `true` if there is such a field.
    ///
    /// # Complexity
    ///
    /// O(fields).
    #[must_use]
    pub fn has<T: FieldValue>(&self, field: Field<T>) -> bool {
        self.field::<T>(field.name()).is_some()
    }

    /// Adds the fields of a struct, those that are not there. They are 0 in all rows.
    ///
    /// # Complexity
    ///
    /// O(all data) for each field, as it moves; so add them while there are no rows.
    ///
    /// # Errors
    ///
    /// As those of [`try_add_field`](Self::try_add_field); nothing has changed.
    pub fn try_add_fields<T: OpenRow>(&mut self) -> Result<(), OpenError> {
        let before = self.fields().len();
        T::try_add_to(self).inspect_err(|_| {
            let after = self.fields().len();
            (before..after).rev().for_each(|added| self.take_out(added));
        })
    }

    /// Returns the struct of a row, or `None` where there is no such row or a field is missing.
    ///
    /// # Complexity
    ///
    /// O(fields) for each of the struct's. To go over many rows use [`sweep`](Self::sweep), which
    /// looks for a field once.
    #[must_use]
    pub fn row<T: OpenRow>(&self, row: usize) -> Option<T> {
        T::read(self, row)
    }

    /// Sets the fields of a struct in a row. Returns whether there is such a row with all of them;
    /// if one is missing, nothing was set.
    ///
    /// # Complexity
    ///
    /// O(fields) for each of the struct's.
    pub fn set_row<T: OpenRow>(&mut self, row: usize, value: &T) -> bool {
        value.write(self, row)
    }

    /// Adds a row with the fields of a struct, and returns its number. Its other fields are 0.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, and O(fields) for each of the struct's.
    ///
    /// # Errors
    ///
    /// As those of [`try_add_field`](Self::try_add_field), where a field of the struct was missing;
    /// nothing has changed.
    pub fn try_push_row<T: OpenRow>(&mut self, value: &T) -> Result<usize, OpenError> {
        // Room first, so that no field has to be taken back.
        self.try_reserve(1)?;
        if !T::is_in(self) {
            self.try_add_fields::<T>()?;
        }
        let row = self.try_push()?;
        value.write(self, row);
        Ok(row)
    }
}

impl<A: Allocator + ?Sized> OpenStruct<'_, A> {
    /// Returns the fields as a struct, or `None` where one is missing.
    ///
    /// # Complexity
    ///
    /// O(fields) for each of the struct's.
    #[must_use]
    pub fn row<T: OpenRow>(&self) -> Option<T> {
        self.as_array().row(0)
    }

    /// Sets the fields of a struct, which are added where there are none.
    ///
    /// # Complexity
    ///
    /// O(fields) for each of the struct's, O(all data) where one is added.
    ///
    /// # Errors
    ///
    /// As those of [`OpenArray::try_add_fields`]; nothing has changed.
    pub fn try_put_row<T: OpenRow>(&mut self, value: &T) -> Result<(), OpenError> {
        self.array.try_add_fields::<T>()?;
        self.array.set_row(0, value);
        Ok(())
    }
}
