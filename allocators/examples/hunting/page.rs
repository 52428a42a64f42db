//! Checks that the page in docs quotes this program and its output correctly.

use std::fs;
use std::io;

use crate::show::Seen;

/// The page, in the repository.
pub(crate) const PAGE: &str = "docs/guide/hunting-memory-bugs.md";

/// The crate's folder.
const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// The page's text; empty in a packed crate, which does not include the page.
pub(crate) struct Page(String);

impl Page {
    pub(crate) fn read() -> Self {
        Self(fs::read_to_string(format!("{CRATE}/../{PAGE}")).unwrap_or_default())
    }

    /// Returns `true` if the page has each printed line, wrapped or not.
    pub(crate) fn quotes(&self, seen: &Seen) -> bool {
        let page = plain(&self.0);
        page.is_empty() || seen.lines().all(|line| page.contains(&plain(line)))
    }

    /// Returns the first piece of code on the page that is in none of this program's files.
    pub(crate) fn strange_code(&self) -> io::Result<Option<&str>> {
        let mut sources = Vec::new();
        for file in fs::read_dir(format!("{CRATE}/examples/hunting"))? {
            sources.push(plain(&fs::read_to_string(file?.path())?));
        }
        let pieces = self.0.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next());
        let mut strange =
            pieces.filter(|piece| !sources.iter().any(|source| source.contains(&plain(piece))));
        Ok(strange.next())
    }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
