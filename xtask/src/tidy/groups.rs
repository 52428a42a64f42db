//! The modules of a crate as the rules count them: the files right below its root. Where such a
//! file only declares modules it is the map of a group, and the modules of the group count instead.

use crate::tidy::code::code_only;
use crate::tidy::files::items;
use crate::tree::Tree;

/// What begins the items of a map.
const DECLARATIONS: [&str; 3] = ["mod ", "pub mod ", "pub(crate) mod "];

/// Attributes of modules that are compiled for tests only.
const TEST_ONLY: [&str; 2] = ["#[cfg(test)]\n", "#[cfg(all(test, target_os = \"linux\"))]\n"];

/// A module.
pub(super) struct Module<'t> {
    /// Its file, from the root.
    pub(super) path: &'t str,
    /// Its file below `src`, without the ending.
    pub(super) name: &'t str,
    /// Its text.
    pub(super) text: &'t str,
    /// Whether it or its group is compiled for tests only.
    pub(super) is_test: bool,
}

/// Returns the modules below `folder`, which ends with `src/`.
pub(super) fn modules<'t>(tree: &'t Tree, folder: &str) -> Vec<Module<'t>> {
    let root = tree.text(&format!("{folder}lib.rs")).unwrap_or_default();
    let sources = tree.sources().filter_map(|(path, text)| {
        let name = path.strip_prefix(folder)?.strip_suffix(".rs")?;
        let is_test = match name.split('/').collect::<Vec<_>>()[..] {
            ["lib"] => return None,
            [_] if is_map(text) => return None,
            [module] => is_for_tests(root, module),
            [group, module] => {
                let map = tree.text(&format!("{folder}{group}.rs")).filter(|map| is_map(map))?;
                is_for_tests(root, group) || is_for_tests(map, module)
            }
            _ => return None,
        };
        Some(Module { path, name, text, is_test })
    });
    sources.collect()
}

/// Returns `true` if a file declares modules and holds nothing else.
fn is_map(text: &str) -> bool {
    let code = code_only(text);
    let items = items(&code);
    let declares = |item: &str| DECLARATIONS.iter().any(|start| item.starts_with(start));
    !items.is_empty() && items.iter().all(|(_, item)| declares(item) && !item.contains('{'))
}

/// Returns `true` if `map` declares a module for tests only.
fn is_for_tests(map: &str, module: &str) -> bool {
    TEST_ONLY.iter().any(|attribute| {
        DECLARATIONS.iter().any(|start| map.contains(&format!("{attribute}{start}{module};")))
    })
}
