//! Syntax trees of files, and what to say where a path leads nowhere.

use loligo_sjson::{EditError, NodeKind, Options, PathError, ReadError, SyntaxTree};

use crate::sjson::source::{Source, SourceError};
use crate::sjson::{Memory, memory};

/// The most keys that are named as a remedy.
const KEYS_SHOWN: usize = 12;

type Tree<'t> = SyntaxTree<'t, 'static, Memory>;

impl Source {
    /// Parses the file.
    pub(super) fn tree(&self) -> Result<Tree<'_>, SourceError> {
        SyntaxTree::try_parse_in(self.bytes(), &Options::SJSON, memory()).map_err(|error| {
            match error {
                ReadError::Syntax(error) => self.source_error(&error),
                ReadError::Memory(error) => {
                    SourceError::Unreadable(format!("{}: {error}", self.name()))
                }
            }
        })
    }

    /// Says how far a path leads, and where it could go on from there.
    pub(super) fn no_way(&self, tree: &Tree<'_>, error: &PathError<'_>) -> String {
        let mut message = format!("{}: {error}", self.name());
        let Ok(found) = tree.find(error.found()) else {
            return message;
        };
        let keys: Vec<&str> =
            found.children().filter_map(|child| child.key()).map(|key| key.raw()).collect();
        if !keys.is_empty() {
            let more = if keys.len() > KEYS_SHOWN { ", .." } else { "" };
            let keys = keys[..keys.len().min(KEYS_SHOWN)].join(", ");
            message.push_str(&format!("; its keys are {keys}{more}"));
        } else if found.kind() == NodeKind::Object {
            message.push_str("; it has none");
        }
        message
    }

    /// Says why an edit was not made.
    pub(super) fn no_edit(&self, tree: &Tree<'_>, error: &EditError<'_>) -> String {
        match error {
            EditError::Path(error) => self.no_way(tree, error),
            error => format!("{}: {error}", self.name()),
        }
    }
}
