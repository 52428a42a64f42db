//! What a subsystem shows to tools.

use loligo_entities::Entity;
use loligo_ids::IdString64;

/// Takes tables that tools show: a subsystem begins a table, a row in it, and gives the fields of that.
///
/// It is called only while somebody looks; what is given to it may cost something.
pub trait Report {
    /// Begins a table. The one before has ended.
    fn table(&mut self, name: &'static str);

    /// Begins a row of the table.
    fn row(&mut self);

    /// Adds a field to the row.
    fn field(&mut self, name: &'static str, value: ReportValue<'_>);
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReportValue<'r> {
    /// A number; one that is not finite is shown as none.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(&'r str),
    /// An entity, or none.
    Entity(Option<Entity>),
    /// Three numbers: a place.
    Vector3([f32; 3]),
    /// A resource by its type and name, as which it is shown where its text is known.
    Resource(&'static str, IdString64),
    /// There is nothing to say.
    Nothing,
}
