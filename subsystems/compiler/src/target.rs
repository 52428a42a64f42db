//! What a project is compiled for.

use crate::platform::Platform;

/// The option under which compilers see the platform that they compile for.
pub(crate) const PLATFORM_OPTION: &str = "platform";

/// The options by which files become resources, or do not.
pub(crate) const TARGET_OPTIONS: [&str; 2] = ["source platform", "languages"];

/// The target of a compile.
#[derive(Clone, Debug)]
pub struct Target {
    /// Whose variants are taken: where a resource has variants for it, these and no others.
    pub source: Platform,
    /// Whose machines shall read the files.
    pub destination: Platform,
    /// The languages that are kept; all if there is no list.
    pub languages: Option<Vec<String>>,
    /// Whether each file keeps the end of its resource's name.
    pub has_debug_names: bool,
}

impl Default for Target {
    /// The platform that this program runs on, all languages, with names.
    fn default() -> Self {
        let here = Platform::here();
        Self { source: here, destination: here, languages: None, has_debug_names: true }
    }
}
