//! The texts of a game as a subsystem of an engine: the feature `subsystem`.

use core::fmt::{self, Write};

use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{BlobBytes, SortedMap};
use loligo_ids::IdString64;
use loligo_interface::{ResourceChange, Subsystem, SubsystemError, SubsystemMemory, SubsystemRow};

use crate::strings::{STRINGS_TYPE, Strings};
use crate::value::TextValue;

#[cfg(feature = "script")]
mod functions;
mod missing;

use missing::Missing;

/// The row by which it joins an engine.
pub const ROW: SubsystemRow = SubsystemRow::new("text", |memory| {
    let text = TextSubsystem::new(memory);
    Ok(own_dyn!(Own::new_in(text, memory)? => dyn Subsystem<'_> + '_))
});

/// The texts of a game: all resources of type `strings` that are loaded.
///
/// A text is asked for by the name of its resource, a dot, and its key: `menu.options.sound` is the text
/// `sound` in the group `options` of `menu.strings`. One that is not there is shown as its key between
/// question marks, and is kept in a list.
///
/// # Complexity
///
/// A text is found in O(log resources + log texts), and written in O(bytes). Nothing is allocated for one
/// that is there.
///
/// # Memory
///
/// A copy of each resource, and at most 256 keys that were missing.
#[derive(Debug)]
pub struct TextSubsystem<'m> {
    /// Copies, since what is loaded moves.
    files: SortedMap<'m, IdString64, BlobBytes<'m, SubsystemMemory<'m>>, SubsystemMemory<'m>>,
    missing: Missing<'m>,
}

impl<'m> TextSubsystem<'m> {
    /// Returns one without texts.
    #[must_use]
    pub const fn new(memory: SharedRef<'m>) -> Self {
        Self { files: SortedMap::new_in(memory), missing: Missing::new_in(memory) }
    }

    /// Writes the text of a name with values in the place of its placeholders, or `?name?` if there is
    /// none; returns whether there is.
    ///
    /// # Errors
    ///
    /// That of the writer.
    pub fn write<'v>(
        &mut self,
        name: &str,
        value: &dyn Fn(&str) -> Option<TextValue<'v>>,
        out: &mut dyn Write,
    ) -> Result<bool, fmt::Error> {
        if let Some((strings, key)) = self.find(name)
            && strings.write(key, value, out)?
        {
            return Ok(true);
        }
        self.missing.note(name);
        write!(out, "?{name}?").map(|()| false)
    }

    /// Returns `true` if there is a text of a name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some_and(|(strings, key)| strings.keys().binary_search(&key).is_ok())
    }

    /// Returns the code of the language of a resource's texts, if it is loaded.
    #[must_use]
    pub fn language(&self, resource: IdString64) -> Option<&str> {
        Some(Strings::open_verified(self.files.get(&resource)?).ok()?.language())
    }

    /// Returns the names that were asked for and are not there, sorted, each once: the first 256.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.missing.iter()
    }

    /// Returns the resource of a text, and its key there.
    fn find(&self, name: &str) -> Option<(Strings<'_>, IdString64)> {
        let (resource, key) = name.split_once('.')?;
        let file = self.files.get(&IdString64::new(resource))?;
        // It was verified when it came.
        Some((Strings::open_verified(file).ok()?, IdString64::new(key)))
    }
}

impl<'m> Subsystem<'m> for TextSubsystem<'m> {
    fn resource_types(&self) -> &'static [&'static str] {
        &[STRINGS_TYPE]
    }

    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        let copy = BlobBytes::try_copy_in(change.payload, self.files.memory())?;
        Strings::open(&copy).map_err(|_| SubsystemError::Wrong {
            what: "they are not compiled texts",
            remedy: "compile them again",
        })?;
        self.files.try_insert(change.name, copy)?;
        // What is missing in one language may be there in another.
        self.missing.clear();
        Ok(())
    }

    fn drop_resource(&mut self, _: IdString64, name: IdString64) {
        self.files.remove(&name);
    }

    #[cfg(feature = "script")]
    fn functions(&self) -> &'static [loligo_interface::SubsystemFunction] {
        &functions::FUNCTIONS
    }

    #[cfg(feature = "script")]
    fn call(
        &mut self,
        function: usize,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        functions::call(self, function, call)
    }
}
