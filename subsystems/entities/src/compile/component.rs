//! What a component type gives to the compiler.

use loligo_containers::{Array, GrowError};

use super::config::Config;
use super::error::CompileError;
use crate::component::ComponentType;

/// Compiles components of a type.
///
/// # Examples
///
/// A type of one number, whose manager is a `Plain<f32>`:
///
/// ```
/// use loligo_containers::Array;
/// use loligo_entities::ComponentType;
/// use loligo_entities::compile::{CompileError, ComponentCompiler, Config};
///
/// struct Health;
///
/// impl ComponentCompiler for Health {
///     fn name(&self) -> &'static str {
///         "health"
///     }
///
///     fn component(&self) -> ComponentType {
///         ComponentType::new("health", 10)
///     }
///
///     fn compile<'s>(&self, config: &Config<'_, 's>, words: &mut Array<'_, u32>) -> Result<(), CompileError<'s>> {
///         config.allow(&["points"], "points")?;
///         let points = config.field("points").map_or(Ok(100.0), |points| points.number())?;
///         Ok(words.try_push(points.to_bits())?)
///     }
/// }
/// ```
pub trait ComponentCompiler {
    /// Returns what sources call the type. Its hash is that of [`component`](Self::component).
    fn name(&self) -> &'static str;

    /// Returns the type, with the order in which it is spawned.
    fn component(&self) -> ComponentType;

    /// Appends the words of a component to `words`.
    ///
    /// # Errors
    ///
    /// [`CompileError`] says what is wrong with the source, or that there is no memory. What was
    /// appended is dropped.
    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>>;

    /// Returns the version. It changes whenever the same source gives other words, and then all
    /// that has the type is recompiled.
    fn version(&self) -> u32 {
        1
    }

    /// Returns `true` if the packed words are numbers of 32 bits and nothing else, so that they can
    /// be written for machines of another byte order.
    fn is_words(&self) -> bool {
        true
    }

    /// Appends the data of all instances to `data`, as the type's manager reads them: one after the
    /// other, unless the type says otherwise.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    fn pack(&self, instances: &Instances<'_>, data: &mut Array<'_, u32>) -> Result<(), GrowError> {
        for words in instances.iter() {
            data.try_extend_from_slice(words)?;
        }
        Ok(())
    }
}

/// The words of all components of a type, as they were compiled one by one.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'i> {
    pub(super) places: &'i [Instance],
    pub(super) words: &'i [u32],
}

/// Where the words of a component are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// The number of the compiler.
    pub(super) compiler: u32,
    pub(super) entity: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl<'i> Instances<'i> {
    /// Returns how many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns `true` if there are no instances.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the words of each, in the order of their entities.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'i [u32]> + use<'i> {
        let words = self.words;
        self.places.iter().map(move |place| &words[place.start as usize..place.end as usize])
    }
}
