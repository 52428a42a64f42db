//! The files that a resource is compiled from.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_sjson::{NodeKind, Options, SyntaxNode, SyntaxTree};

use super::error::{CompileError, CompileErrorKind, place_of};

/// Where sources that are inherited come from: a project, which takes note of what is asked for.
///
/// A slice of names and texts is one, for tests, and so is a closure.
pub trait Sources<'s> {
    /// Returns the text of a source, or `None` if there is none of this name.
    fn source(&self, name: &str) -> Option<&'s [u8]>;

    /// Called for each resource that a component names, once per mention.
    fn refer(&self, resource: &NamedResource<'s>) {
        let _ = resource;
    }

    /// Called when an error was found, while the thread's contexts (`loligo_diagnostics::contexts`)
    /// say where: in which entities, in which component. It is called again for the surrounding
    /// entities; the first call counts.
    fn failed(&self) {}
}

/// A resource that a component names, and where.
#[derive(Clone, Copy, Debug)]
pub struct NamedResource<'s> {
    /// Its type.
    pub type_name: &'static str,
    /// Its name.
    pub name: &'s str,
    /// The source that names it, as it is called in errors.
    pub file: &'s str,
    pub(super) text: &'s str,
    pub(super) offset: usize,
}

impl NamedResource<'_> {
    /// Returns line and column. O(bytes before it).
    #[must_use]
    pub fn place(&self) -> (u32, u32) {
        place_of(self.text, self.offset)
    }
}

/// Receives events while sources are compiled and passes them on to [`Sources`].
pub(super) trait Notes<'s> {
    fn refer(&self, resource: &NamedResource<'s>);
    fn failed(&self);
}

/// Leads to sources of any size.
pub(super) struct Told<'x, S: ?Sized>(pub(super) &'x S);

impl<'s, S: Sources<'s> + ?Sized> Notes<'s> for Told<'_, S> {
    fn refer(&self, resource: &NamedResource<'s>) {
        self.0.refer(resource);
    }

    fn failed(&self) {
        self.0.failed();
    }
}

impl<'s> Sources<'s> for [(&str, &'s [u8])] {
    fn source(&self, name: &str) -> Option<&'s [u8]> {
        self.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
    }
}

impl<'s, F: Fn(&str) -> Option<&'s [u8]>> Sources<'s> for F {
    fn source(&self, name: &str) -> Option<&'s [u8]> {
        self(name)
    }
}

/// How a source is read. The depth is that of levels of entities, with room for data in them.
const OPTIONS: Options = Options { depth_max: 256, ..Options::SJSON };

/// A file and its syntax tree.
pub(super) struct File<'s, 'a> {
    pub(super) name: &'s str,
    pub(super) text: &'s str,
    pub(super) tree: SyntaxTree<'s, 'a>,
}

/// A file, and all that it inherits.
pub(super) struct Files<'s, 'a> {
    list: Array<'a, File<'s, 'a>>,
}

/// A value in a file.
#[derive(Clone, Copy)]
pub(super) struct Located<'f, 's> {
    pub(super) file: u32,
    pub(super) name: &'s str,
    pub(super) text: &'s str,
    pub(super) node: SyntaxNode<'f>,
}

impl<'s, 'a> Files<'s, 'a> {
    /// Reads a file, and whatever is inherited from there on, each once.
    pub(super) fn try_read(
        name: &'s str,
        text: &'s [u8],
        sources: &(impl Sources<'s> + ?Sized),
        memory: &'a dyn Allocator,
    ) -> Result<Self, CompileError<'s>> {
        let mut files = Self { list: Array::new_in(memory) };
        files.push(name, text, memory)?;
        let mut wanted: Array<'_, (&'s str, usize)> = Array::new_in(memory);
        let mut done = 0;
        while done < files.list.len() {
            wanted.clear();
            let File { name: inheriting, text, tree } = &files.list[done];
            let (inheriting, text) = (*inheriting, *text);
            find_inherited(text, tree, &mut wanted)?;
            for (inherited, offset) in &wanted {
                if files.find(inherited).is_some() {
                    continue;
                }
                let Some(source) = sources.source(inherited) else {
                    let kind = CompileErrorKind::NoSource { name: inherited };
                    return Err(CompileError::at(inheriting, text, *offset, kind));
                };
                files.push(inherited, source, memory)?;
            }
            done += 1;
        }
        Ok(files)
    }

    /// Returns the root of the first file, which is what is compiled.
    pub(super) fn first(&self) -> Located<'_, 's> {
        self.root(0)
    }

    /// Returns the root of the file of a name. Names of what is inherited are those that were read:
    /// not the first.
    pub(super) fn inherited(&self, name: &str) -> Option<Located<'_, 's>> {
        self.find(name).map(|at| self.root(at))
    }

    fn root(&self, at: usize) -> Located<'_, 's> {
        let File { name, text, tree } = &self.list[at];
        Located { file: at as u32, name, text, node: tree.root() }
    }

    fn find(&self, name: &str) -> Option<usize> {
        // The first file has a name for errors, by which it is not inherited.
        self.list.iter().skip(1).position(|file| file.name == name).map(|at| at + 1)
    }

    fn push(
        &mut self,
        name: &'s str,
        text: &'s [u8],
        memory: &'a dyn Allocator,
    ) -> Result<(), CompileError<'s>> {
        let tree = SyntaxTree::try_parse_in(text, &OPTIONS, memory)
            .map_err(|error| CompileError::of_read(name, error))?;
        Ok(self.list.try_push(File { name, text: tree.text(), tree })?)
    }
}

/// Notes what entities of a source inherit, and where it says so.
///
/// Whatever has the key `inherit` with a string is noted, data, too, but not what is in
/// `components`.
fn find_inherited<'s>(
    text: &'s str,
    tree: &SyntaxTree<'s, '_>,
    wanted: &mut Array<'_, (&'s str, usize)>,
) -> Result<(), CompileError<'s>> {
    let mut open: Array<'_, SyntaxNode<'_>> = Array::new_in(wanted.memory());
    open.try_push(tree.root())?;
    while let Some(node) = open.pop() {
        for child in node.children() {
            let key = child.key().and_then(|key| key.plain());
            let is_list = child.kind() == NodeKind::Array && key == Some("instances");
            if is_list || (child.kind() == NodeKind::Object && key != Some("components")) {
                open.try_push(child)?;
            } else if key == Some("inherit")
                && child.kind() == NodeKind::String
                && let Some(name) = string_in(text, &child)
            {
                wanted.try_push((name, child.span().start))?;
            }
        }
    }
    Ok(())
}

/// Returns a string without escapes as it is in the text.
pub(super) fn string_in<'s>(text: &'s str, node: &SyntaxNode<'_>) -> Option<&'s str> {
    let quotes = if node.text().starts_with("\"\"\"") { 3 } else { 1 };
    node.string()?.plain()?;
    let span = node.span();
    text.get(span.start + quotes..span.end - quotes)
}

impl<'f, 's> Located<'f, 's> {
    /// Returns a value in the same file.
    pub(super) fn with(&self, node: SyntaxNode<'f>) -> Self {
        Self { node, ..*self }
    }

    /// Returns the value of a key, if this is an object that has it.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let mut found = None;
        for child in self.node.children() {
            if child.key().is_some_and(|name| is_text(name, key)) {
                found = Some(self.with(child));
            }
        }
        found
    }

    pub(super) fn is_object(&self) -> bool {
        self.node.kind() == NodeKind::Object
    }

    pub(super) fn is_null(&self) -> bool {
        self.node.kind() == NodeKind::Null
    }

    /// Returns the key, as it is written.
    pub(super) fn key_text(&self) -> &'s str {
        self.node.key_span().and_then(|span| self.text.get(span)).unwrap_or_default()
    }

    /// Returns an error about the value.
    pub(super) fn error(&self, kind: CompileErrorKind<'s>) -> CompileError<'s> {
        CompileError::at(self.name, self.text, self.node.span().start, kind)
    }

    /// Returns an error about the key.
    pub(super) fn key_error(&self, kind: CompileErrorKind<'s>) -> CompileError<'s> {
        let start = self.node.key_span().unwrap_or(self.node.span()).start;
        CompileError::at(self.name, self.text, start, kind)
    }

    /// Returns the error of a value that is not a `what`.
    pub(super) fn expected(&self, what: &'static str) -> CompileError<'s> {
        let span = self.node.span();
        let whole = self.text.get(span).unwrap_or_default();
        let line = whole.lines().next().unwrap_or_default();
        let found = &line[..line.floor_char_boundary(40)];
        self.error(CompileErrorKind::Expected { what, found })
    }
}

/// Returns `true` if a key is a text, escapes replaced.
fn is_text(key: loligo_sjson::Text<'_>, text: &str) -> bool {
    if let Some(plain) = key.plain() {
        return plain == text;
    }
    let mut rest = text;
    let all = key.unescape(|piece| match rest.strip_prefix(piece) {
        Some(behind) => {
            rest = behind;
            Ok(())
        }
        None => Err(()),
    });
    all.is_ok() && rest.is_empty()
}
