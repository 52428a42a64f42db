//! Names of sources: `folder/name.property.property.type`.

use core::error::Error;
use core::fmt;

use loligo_resources::ResourceKey;

/// What a source is called: its type, its name, and the properties of the variant.
///
/// The name is the path without properties and type, `/` between its steps; it is unique within the
/// type. Properties are kept in order of the alphabet: in which order they are in the file's name
/// means nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceName {
    /// The type, which the file's name ends in.
    pub type_name: String,
    /// The path.
    pub name: String,
    /// The properties, in order.
    pub properties: Vec<String>,
}

/// Why a path names no resource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// There is nothing before the first dot.
    NoName,
    /// There is nothing between two dots, or after the last.
    Empty,
    /// A property occurs twice.
    Twice(String),
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => f.write_str("the name is empty"),
            Self::Empty => f.write_str("a property or the type is empty"),
            Self::Twice(property) => write!(f, "the property `{property}` stands there twice"),
        }
    }
}

impl Error for NameError {}

impl ResourceName {
    /// Takes the path of a source apart. Nothing where it has no type at all.
    ///
    /// # Errors
    ///
    /// [`NameError`] if a property is empty or occurs twice, or the name is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_compiler::ResourceName;
    ///
    /// let name = ResourceName::of_path("gui/buttons.fr.x360.texture")?.expect("it has a type");
    /// assert_eq!((&*name.name, &*name.type_name), ("gui/buttons", "texture"));
    /// assert_eq!(name.properties, ["fr", "x360"]);
    /// # Ok::<(), loligo_compiler::NameError>(())
    /// ```
    pub fn of_path(path: &str) -> Result<Option<Self>, NameError> {
        let file_start = path.rfind('/').map_or(0, |slash| slash + 1);
        let (folder, file) = path.split_at(file_start);
        let mut steps = file.split('.');
        let own = steps.next().unwrap_or_default();
        let Some(type_name) = steps.next_back() else { return Ok(None) };
        if own.is_empty() {
            return Err(NameError::NoName);
        }
        let mut properties: Vec<String> = steps.map(str::to_owned).collect();
        properties.sort();
        if properties.iter().any(String::is_empty) || type_name.is_empty() {
            return Err(NameError::Empty);
        }
        if let Some(pair) = properties.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(NameError::Twice(pair[0].clone()));
        }
        let name = format!("{folder}{own}");
        Ok(Some(Self { type_name: type_name.to_owned(), name, properties }))
    }

    /// Returns the hashes of type and name.
    #[must_use]
    pub fn key(&self) -> ResourceKey {
        ResourceKey::new(&self.type_name, &self.name)
    }
}

/// As the path of its source is written.
impl fmt::Display for ResourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for property in &self.properties {
            write!(f, ".{property}")?;
        }
        write!(f, ".{}", self.type_name)
    }
}
