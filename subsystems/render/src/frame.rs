//! A frame described in data: targets, views, passes, and layers with an order.
//!
//! After "Parallel rendering" on the BitSquid blog (2009), in which batches are sorted by layers,
//! state and depth. Change: what the layers are and how each is ordered is a text of the project,
//! so that a game changes its frame without a program.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::Array;

use crate::key::{LayerKeys, Order};

mod error;
mod layer_takes;
mod read;
mod target;
mod view;

pub use error::{FrameError, FrameErrorKind};
pub use layer_takes::LayerTakes;
pub use target::{TargetFormat, TargetSize};
pub use view::{PLAYER, SHADOW_MAPS_MAX, STAGES_MAX, VIEWS_MAX, ViewFrom, ViewRef, part_of};

/// The name of the target that is there without being declared: what the player sees.
pub const WINDOW: &str = "window";

/// The most layers that a frame may have: their number has 8 bits of a key.
pub const LAYERS_MAX: usize = 256;

/// The most targets, the window included, and the most passes.
const TARGETS_MAX: usize = 64;
const PASSES_MAX: usize = 64;

/// The most colors that a pass may draw into at once, which every graphics API allows.
pub const COLORS_MAX: usize = 8;

/// A frame: which targets there are, from where the world is seen, which passes draw into the
/// targets in which order, and which layers each pass draws.
///
/// ```text
/// targets = {
///     hdr    = { format = "rgba16f" scale = 1.0 }      // a part of the window, or: size = [ 1024 1024 ]
///     depth  = { format = "depth32f" }                 // as large as the window; samples = 4 smooths edges
///     shadow = { format = "depth32f" size = [ 2048 2048 ] }
/// }
/// views = {                                            // besides "player", which is always there
///     sun = { from = "sun" around = "player" }         // how the sun sees what the player sees
///     map = { from = "camera" stage = 1 rectangle = [ 0.75 0 0.25 0.25 ] }
/// }
/// passes = [
///     {
///         name = "shadow"
///         view = "sun"                                 // "player" if it is not given
///         depth = "shadow"
///         clear = { depth = 1 }
///         layers = [ { name = "shadow" order = "by_state" takes = "all" } ]
///     }
///     {
///         name = "scene"
///         color = [ "hdr" ]
///         depth = "depth"
///         clear = { color = [ 0 0 0 1 ] depth = 1 }
///         layers = [
///             { name = "opaque" order = "by_state" }   // or "front_to_back", or "back_to_front"
///             { name = "glass" order = "back_to_front" }
///         ]
///     }
///     {
///         name = "tonemap"
///         color = [ "window" ]
///         reads = [ "hdr" ]
///         layers = [ { name = "tonemap" takes = "picture" material = "core/materials/tonemap" } ]
///     }
/// ]
/// ```
///
/// Layers are numbered through all passes, and a layer's number is what a sort key begins with
/// ([`LayerKeys`]): sorted items come in the order of the passes.
///
/// Passes of several views may have layers of the same name: what belongs to a layer is drawn into
/// the one of that name in each view that sees it. So objects name layers by the number of the
/// *name*, in the order in which names come first; in a frame with one view the two numbers are the
/// same. A layer that `takes = "all"` is given every object that its view sees, whichever its own
/// layer is; one that `takes = "picture"` draws its material once, over the whole picture. Objects in
/// a layer with a `material` are drawn with that, and not with theirs.
///
/// A pass of a view with a `rectangle` draws that part of its targets, but clears all of them: the
/// first of several passes clears, those after it do not.
///
/// # Memory
///
/// Seven blocks: 24 bytes a target, 36 a view, 56 a pass, 20 a layer, 2 each time that a pass names
/// a target, 2 for each name of a layer in each view, and the names. It does not change once it is
/// read.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_render::{FrameDescription, Order};
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let text = r#"passes = [
///     { name = "ui" color = [ "window" ] layers = [ { name = "text" order = "by_state" } ] }
/// ]"#;
/// let frame = FrameDescription::try_read(text.as_bytes(), &MEMORY)?;
/// let text = frame.layer("text").expect("it is there");
/// assert_eq!((text.number, text.order), (0, Order::ByState));
///
/// let wrong = FrameDescription::try_read(b"passes = [ { nam = 1 } ]", &MEMORY);
/// assert_eq!(
///     wrong.err().expect("it is wrong").to_string(),
///     "1:14: a pass has no `nam`; it has name, view, color, depth, clear, reads, layers",
/// );
/// # Ok::<(), loligo_render::FrameError>(())
/// ```
pub struct FrameDescription<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    targets: Array<'a, Target, A>,
    views: Array<'a, View, A>,
    passes: Array<'a, Pass, A>,
    layers: Array<'a, Layer, A>,
    /// For each view, one for each name of a layer: what makes the keys of its layer of that name.
    keys: Array<'a, Option<LayerKeys>, A>,
    /// How many different names layers have.
    name_count: u16,
    /// Numbers of targets that passes name.
    uses: Array<'a, u16, A>,
    names: Array<'a, u8, A>,
}

/// A name's place in the text of all names.
#[derive(Clone, Copy, Debug, Default)]
struct Name {
    start: u32,
    len: u32,
}

#[derive(Clone, Copy, Debug)]
struct Target {
    name: Name,
    /// The window's is the window's own.
    format: Option<TargetFormat>,
    size: TargetSize,
    samples: u8,
}

#[derive(Clone, Copy, Debug)]
struct View {
    name: Name,
    rectangle: [f32; 4],
    reach: [f32; 2],
    from: ViewFrom,
    around: u8,
    stage: u8,
    occlusion: bool,
}

/// A range of an array: its start and its length.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u16,
    len: u16,
}

#[derive(Clone, Copy, Debug)]
struct Pass {
    name: Name,
    colors: Span,
    reads: Span,
    layers: Span,
    depth: Option<u16>,
    view: u8,
    clear: Clear,
}

#[derive(Clone, Copy, Debug)]
struct Layer {
    name: Name,
    /// Empty where it draws each object with the object's.
    material: Name,
    /// The number of the name, among those that layers have.
    name_number: u8,
    pass: u8,
    order: Order,
    takes: LayerTakes,
}

impl Layer {
    /// Returns whether it draws objects, with their materials and of its name alone.
    const fn is_plain(&self) -> bool {
        matches!(self.takes, LayerTakes::Own) && self.material.len == 0
    }
}

/// What targets are filled with before a pass draws; without, they keep what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// Red, green, blue, opacity, of all colors of the pass.
    pub color: Option<[f32; 4]>,
    /// From 0 to 1.
    pub depth: Option<f32>,
}

/// A target of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetRef<'f> {
    /// Which one it is; 0 is the window.
    pub number: u16,
    /// Its name.
    pub name: &'f str,
    /// What its pixels are; the window's are for the window to say.
    pub format: Option<TargetFormat>,
    /// How large it is.
    pub size: TargetSize,
    /// How many samples a pixel has: 1, or 4.
    pub samples: u32,
}

/// A pass of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassRef<'f> {
    /// Which one it is, in the order in which they are drawn.
    pub number: u16,
    /// Its name.
    pub name: &'f str,
    /// The number of the view that it draws.
    pub view: u8,
    /// The numbers of the targets whose colors it draws, in order.
    pub colors: &'f [u16],
    /// The number of the target that it tests depth with and writes it to.
    pub depth: Option<u16>,
    /// The numbers of the targets that its shaders read.
    pub reads: &'f [u16],
    /// What targets are filled with before.
    pub clear: Clear,
    /// Its first layer.
    pub first_layer: u16,
    /// How many layers it has.
    pub layer_count: u16,
}

/// A layer of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerRef<'f> {
    /// Which one it is, through all passes.
    pub number: u8,
    /// Its name.
    pub name: &'f str,
    /// The number of its name, by which objects refer to it.
    pub name_number: u8,
    /// The number of its pass.
    pub pass: u8,
    /// How it is ordered.
    pub order: Order,
    /// What it draws.
    pub takes: LayerTakes,
    /// The name of the material with which it draws all of that, or nothing.
    pub material: Option<&'f str>,
}

impl LayerRef<'_> {
    /// Returns what makes the layer's sort keys.
    #[must_use]
    pub const fn keys(&self) -> LayerKeys {
        LayerKeys::new(self.number, self.order)
    }
}

impl<'a> FrameDescription<'a> {
    /// Reads a description, as [drawn above](Self).
    ///
    /// # Complexity
    ///
    /// O(bytes), and O(targets) for each time that one is named.
    ///
    /// # Errors
    ///
    /// [`FrameError`] with line, column, what is wrong and what to do, or if there is no memory.
    pub fn try_read<'t>(
        text: &'t [u8],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, FrameError<'t>> {
        Self::try_read_in(text, memory)
    }
}

impl<'a, A: Allocator + ?Sized> FrameDescription<'a, A> {
    /// As [`try_read`](Self::try_read), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_read`](Self::try_read).
    pub fn try_read_in<'t>(text: &'t [u8], memory: &'a A) -> Result<Self, FrameError<'t>> {
        read::read(text, memory)
    }

    /// Returns the targets in order, the window first.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = TargetRef<'_>> {
        self.targets.iter().enumerate().map(|(number, target)| TargetRef {
            number: number as u16,
            name: self.name(target.name),
            format: target.format,
            size: target.size,
            samples: u32::from(target.samples),
        })
    }

    /// Returns the views, the player's first.
    pub fn views(&self) -> impl ExactSizeIterator<Item = ViewRef<'_>> {
        self.views.iter().enumerate().map(|(number, view)| ViewRef {
            number: number as u8,
            name: self.name(view.name),
            from: view.from,
            around: view.around,
            stage: view.stage,
            rectangle: view.rectangle,
            reach: view.reach,
            occlusion: view.occlusion,
        })
    }

    /// Returns how large the first target is that a pass of a view draws, for a window of this size
    /// in pixels: the window's size where no pass draws the view. O(passes).
    #[must_use]
    pub fn pixels_of(&self, view: u8, window: [u32; 2]) -> [u32; 2] {
        let pass = self.passes().find(|pass| pass.view == view);
        let target = pass.and_then(|pass| pass.colors.first().copied().or(pass.depth));
        let target = target.and_then(|number| self.targets.get(usize::from(number)));
        target.map_or(window, |target| target.size.pixels(window))
    }

    /// Returns the passes in the order in which they are drawn.
    pub fn passes(&self) -> impl ExactSizeIterator<Item = PassRef<'_>> {
        self.passes.iter().enumerate().map(|(number, pass)| PassRef {
            number: number as u16,
            name: self.name(pass.name),
            view: pass.view,
            colors: self.used(pass.colors),
            depth: pass.depth,
            reads: self.used(pass.reads),
            clear: pass.clear,
            first_layer: pass.layers.start,
            layer_count: pass.layers.len,
        })
    }

    /// Returns the layers in the order in which they are drawn.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = LayerRef<'_>> {
        (0..self.layers.len()).map(|number| self.layer_ref(number as u8, self.layers[number]))
    }

    /// Returns the first layer of a name. O(layers).
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<LayerRef<'_>> {
        self.layers().find(|layer| layer.name == name)
    }

    /// Returns a layer by its number. O(1).
    #[must_use]
    pub fn layer_at(&self, number: u8) -> Option<LayerRef<'_>> {
        self.layers.get(usize::from(number)).map(|layer| self.layer_ref(number, *layer))
    }

    /// Returns the names of layers, each once, by their numbers. O(layers) for each.
    pub fn layer_names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.name_count).map(|number| {
            let named = |layer: &&Layer| u16::from(layer.name_number) == number;
            self.layers.iter().find(named).map_or("", |layer| self.name(layer.name))
        })
    }

    /// Returns the number of the view that a layer's pass draws. O(1).
    #[must_use]
    pub fn view_of(&self, layer: &LayerRef<'_>) -> Option<u8> {
        self.passes.get(usize::from(layer.pass)).map(|pass| pass.view)
    }

    /// Returns what makes the sort keys of a view's layers, by the numbers of their names; nothing
    /// where the view has no layer of a name, or one of [`others_of`](Self::others_of) or of the
    /// picture. O(1).
    #[inline]
    #[must_use]
    pub fn keys_of(&self, view: u8) -> &[Option<LayerKeys>] {
        let names = usize::from(self.name_count);
        self.keys.get(usize::from(view) * names..).and_then(|keys| keys.get(..names)).unwrap_or(&[])
    }

    /// Returns the last layer of a view, among those of passes with colors: what is drawn in it is
    /// over all else of the view. O(layers).
    #[must_use]
    pub fn last_of(&self, view: u8) -> Option<LayerRef<'_>> {
        let is_of_view = |layer: &LayerRef<'_>| {
            let pass = self.passes.get(usize::from(layer.pass));
            pass.is_some_and(|pass| pass.view == view && pass.colors.len > 0)
        };
        let all = (0..self.layers.len()).rev();
        all.filter_map(|number| self.layer_at(number as u8)).find(is_of_view)
    }

    /// Returns the layers of a view that draw objects and are not in [`keys_of`](Self::keys_of):
    /// those that take all that it sees, and those with a material.
    pub fn others_of(&self, view: u8) -> impl Iterator<Item = LayerRef<'_>> {
        // Asked for often: names are looked at of those alone.
        let is_other = move |(_, layer): &(usize, &Layer)| {
            let pass = self.passes.get(usize::from(layer.pass));
            !layer.is_plain()
                && layer.takes != LayerTakes::Picture
                && pass.is_some_and(|pass| pass.view == view)
        };
        let all = self.layers.iter().enumerate().filter(is_other);
        all.map(|(number, layer)| self.layer_ref(number as u8, *layer))
    }

    /// Returns the name of a target, or nothing where there is none of that number. O(1).
    #[must_use]
    pub fn target_name(&self, number: u16) -> &str {
        self.targets.get(usize::from(number)).map_or("", |target| self.name(target.name))
    }

    /// Returns the name of a view, or nothing where there is none of that number. O(1).
    #[must_use]
    pub fn view_name(&self, number: u8) -> &str {
        self.views.get(usize::from(number)).map_or("", |view| self.name(view.name))
    }

    fn layer_ref(&self, number: u8, layer: Layer) -> LayerRef<'_> {
        let Layer { name, material, name_number, pass, order, takes } = layer;
        let material = (material.len > 0).then(|| self.name(material));
        LayerRef { number, name: self.name(name), name_number, pass, order, takes, material }
    }

    fn used(&self, span: Span) -> &[u16] {
        &self.uses[usize::from(span.start)..][..usize::from(span.len)]
    }

    /// Returns a name, which was put in as text.
    fn name(&self, name: Name) -> &str {
        let bytes = &self.names[name.start as usize..][..name.len as usize];
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for FrameDescription<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct List<F>(F);
        impl<I: Iterator<Item: fmt::Debug>, F: Fn() -> I> fmt::Debug for List<F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.0()).finish()
            }
        }
        f.debug_struct("FrameDescription")
            .field("targets", &List(|| self.targets()))
            .field("views", &List(|| self.views()))
            .field("passes", &List(|| self.passes()))
            .field("layers", &List(|| self.layers()))
            .finish()
    }
}

const _: () = assert!(size_of::<Target>() == 24, "the doc states it");
const _: () = assert!(size_of::<View>() == 36, "the doc states it");
const _: () = assert!(size_of::<Pass>() == 56, "the doc states it");
const _: () = assert!(size_of::<Layer>() == 20, "the doc states it");
const _: () = assert!(size_of::<Option<LayerKeys>>() == 2, "the doc states it");
