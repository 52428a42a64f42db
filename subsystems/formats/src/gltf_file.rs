//! Models in glTF 2.0.
//!
//! The crate `gltf` reads the text and checks that all that it leads to is there. Buffers are read
//! here, each with its bounds checked, as no length that a file states is believed.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::Mat4;
use gltf::{Accessor, Document, Gltf, Mesh, Node, Scene};
use loligo_compiler::{CompileError, Context};

use crate::accessor_view::AccessorView;

const REMEDY: &str = "export the model again";

/// How deep nodes may be in nodes.
const DEPTH_MAX: u32 = 256;

/// Names that an error lists.
const NAMES_LISTED: usize = 12;

/// A file with its buffers.
pub struct GltfFile {
    path: String,
    document: Document,
    buffers: Vec<Arc<[u8]>>,
}

/// What is called for each node with its space, which leads from its own coordinates to those of
/// the walk.
pub type VisitNode<'v> = dyn FnMut(&Node<'_>, Mat4) -> Result<(), CompileError> + 'v;

impl GltfFile {
    /// Reads a file and the files of its buffers.
    ///
    /// # Errors
    ///
    /// [`CompileError`] with the file's path, if it is no glTF 2.0, if it is damaged, or if a file that
    /// it leads to is not there.
    pub fn read(context: &mut Context<'_>, path: &str, bytes: &[u8]) -> Result<Self, CompileError> {
        Self::read_with(path, bytes, |buffer| context.try_read(buffer))
    }

    /// Reads a file outside of a project. `read` is given the path of each buffer in a separate file, with
    /// the folders of `path` before it, and returns its bytes, or `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_with(
        path: &str,
        bytes: &[u8],
        mut read: impl FnMut(&str) -> Result<Option<Arc<[u8]>>, CompileError>,
    ) -> Result<Self, CompileError> {
        let wrong = |reason: String| CompileError::new(reason, REMEDY).in_file(path);
        let Gltf { document, mut blob } = open(bytes).map_err(|error| error.in_file(path))?;
        let mut buffers: Vec<Arc<[u8]>> = Vec::new();
        for buffer in document.buffers() {
            let number = buffer.index();
            let read: Arc<[u8]> = match buffer.source() {
                gltf::buffer::Source::Bin => {
                    let nothing = || wrong("the file has no binary part".to_owned());
                    blob.take().ok_or_else(nothing)?.into()
                }
                gltf::buffer::Source::Uri(uri) => read_uri(&mut read, path, uri)?,
            };
            if read.len() < buffer.length() {
                let (has, told) = (read.len(), buffer.length());
                let reason = format!("buffer {number} is to have {told} bytes, and has {has}");
                return Err(wrong(reason));
            }
            buffers.push(read);
        }
        Ok(Self { path: path.to_owned(), document, buffers })
    }

    /// Returns what the file says.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the scene that is shown first.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if there is none.
    pub fn scene(&self) -> Result<Scene<'_>, CompileError> {
        let scene = self.document.default_scene().or_else(|| self.document.scenes().next());
        scene.ok_or_else(|| self.wrong("there is no scene in it"))
    }

    /// Visits nodes and all below them, parents first, each once.
    ///
    /// # Errors
    ///
    /// What `visit` returns, and [`CompileError`] where nodes are too deep, or in a ring.
    pub fn walk<'n>(
        &self,
        nodes: impl Iterator<Item = Node<'n>>,
        space: Mat4,
        visit: &mut VisitNode<'_>,
    ) -> Result<(), CompileError> {
        let mut walk = Walk { file: self, visits: 0, visit };
        nodes.into_iter().try_for_each(|node| walk.node(&node, space, 0))
    }

    /// Returns the numbers that an accessor leads to.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if they are not all in the buffers.
    pub fn view(&self, accessor: &Accessor<'_>) -> Result<AccessorView<'_>, CompileError> {
        AccessorView::open(accessor, &self.buffers).map_err(|reason| self.wrong(&reason))
    }

    /// Returns the names of the targets of a mesh, as exporters write them into its extras: none
    /// where they are not there, or are not all names.
    #[must_use]
    pub fn target_names(&self, mesh: &Mesh<'_>) -> Vec<String> {
        let extras = mesh.extras().as_ref();
        let value = extras.and_then(|extras| {
            gltf::json::deserialize::from_str::<gltf::json::Value>(extras.get()).ok()
        });
        let names = value.as_ref().and_then(|value| value.get("targetNames")?.as_array());
        let names = names.map(|names| {
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()
        });
        names.flatten().unwrap_or_default()
    }

    /// Returns the error that the file is wrong, for this reason.
    #[must_use]
    pub fn wrong(&self, reason: &str) -> CompileError {
        CompileError::new(reason, REMEDY).in_file(&*self.path)
    }

    /// Returns the error that the file has no `what` of that name, among those of `names`. It names no
    /// file, as the fault is that of the source which asked for it.
    #[must_use]
    pub fn unnamed(&self, what: &str, name: &str, names: &[String]) -> CompileError {
        let listed = &names[..names.len().min(NAMES_LISTED)];
        let remedy = match listed.is_empty() {
            true => format!("none has a name; name them, or leave `{what}` out"),
            false => format!("name one of {}", listed.join(", ")),
        };
        CompileError::new(format!("`{}` has no {what} `{name}`", self.path), remedy)
    }
}

/// A walk under way.
struct Walk<'w, 'v> {
    file: &'w GltfFile,
    /// How many nodes were visited.
    visits: usize,
    visit: &'w mut VisitNode<'v>,
}

impl Walk<'_, '_> {
    fn node(&mut self, node: &Node<'_>, space: Mat4, depth: u32) -> Result<(), CompileError> {
        // A node has one parent, which no check of the text finds out. Without, few nodes could be
        // without end.
        self.visits += 1;
        if depth > DEPTH_MAX || self.visits > self.file.document.nodes().len() {
            let reason = format!("nodes lie more than {DEPTH_MAX} deep, in a ring, or in several");
            return Err(self.file.wrong(&reason));
        }
        let space = space * Mat4::from_cols_array_2d(&node.transform().matrix());
        (self.visit)(node, space)?;
        node.children().try_for_each(|child| self.node(&child, space, depth + 1))
    }
}

/// Reads the text of a file, and checks that all that it leads to is there.
fn open(bytes: &[u8]) -> Result<Gltf, CompileError> {
    let gltf = Gltf::from_slice_without_validation(bytes).map_err(|error| unread(&error))?;
    let json = gltf.as_json();
    if !json.asset.version.starts_with("2.") {
        let reason = format!("the file is of glTF {}", json.asset.version);
        return Err(CompileError::new(reason, "export the model as glTF 2.0"));
    }
    // The check of the crate panics where there are no positions of that number.
    let primitives = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    for index in primitives.flat_map(|primitive| primitive.attributes.values()) {
        if json.accessors.get(index.value()).is_none() {
            let reason = format!("a primitive is of accessor {index}, which is not there");
            return Err(CompileError::new(reason, REMEDY));
        }
    }
    let Gltf { document, blob } = gltf;
    let document = Document::from_json(document.into_json()).map_err(|error| unread(&error))?;
    Ok(Gltf { document, blob })
}

/// Reads a buffer that is in the text, or in a separate file given by a path.
fn read_uri(
    read: &mut impl FnMut(&str) -> Result<Option<Arc<[u8]>>, CompileError>,
    path: &str,
    uri: &str,
) -> Result<Arc<[u8]>, CompileError> {
    let wrong = |reason: String, remedy: &str| CompileError::new(reason, remedy).in_file(path);
    if let Some(data) = uri.strip_prefix("data:") {
        let text = data.split_once(";base64,").map(|(_, text)| text);
        let text = text.ok_or_else(|| wrong("a buffer is no base64".to_owned(), REMEDY))?;
        let bytes = STANDARD.decode(text);
        let bytes =
            bytes.map_err(|error| wrong(format!("a buffer is no base64: {error}"), REMEDY))?;
        return Ok(bytes.into());
    }
    let uri = uri.replace("%20", " ");
    let beside = match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{uri}"),
        None => uri,
    };
    match read(&beside) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => {
            let reason = format!("its buffer is in `{beside}`, which is not there");
            Err(wrong(reason, "add that file to the project"))
        }
        Err(error) => Err(error.in_file(path)),
    }
}

/// Reports why a file could not be read, with line and column where its text is wrong.
fn unread(error: &gltf::Error) -> CompileError {
    match error {
        gltf::Error::Deserialize(error) => {
            let (line, column) = (error.line() as u32, error.column() as u32);
            let text = error.to_string();
            let text = text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text);
            CompileError::new(format!("the text is no glTF: {text}"), REMEDY).at(line, column)
        }
        gltf::Error::Validation(errors) => {
            let list = errors.iter().map(|(place, error)| format!("{place}: {error}"));
            let first = list.take(1).collect::<String>();
            CompileError::new(format!("the file is no whole glTF: {first}"), REMEDY)
        }
        other => CompileError::new(format!("the file is damaged: {other}"), REMEDY),
    }
}
