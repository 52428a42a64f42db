//! Sounds as designers make them: waves in layers, sequences and choices, driven by parameters.

mod chance;
mod choices;
mod curve;
mod image;
mod start;
mod verify;

use core::fmt;

use loligo_containers::Blob;
use loligo_ids::{IdString32, IdString64};
use loligo_resources::DataError;

pub use chance::Chance;
pub use choices::Choices;
pub use image::{SoundChildImage, SoundCurveImage, SoundImage, SoundMarkerImage, SoundNodeImage};
pub use start::{Part, Shape};

/// The type of sounds.
pub const SOUND_TYPE: &str = "sound";

/// The version of sounds that is compiled and read here.
pub const SOUND_VERSION: u32 = 3;

/// The greatest priority of a sound.
pub const SOUND_PRIORITY_MAX: u32 = 100;

/// The most nodes of a sound.
pub const SOUND_NODES_MAX: usize = 256;

/// What a node of a sound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum SoundNodeKind {
    /// A wave.
    Wave = 0,
    /// All children at the same time.
    Layers = 1,
    /// One child after the other, to the frame exact. Each of them comes to one wave.
    Sequence = 2,
    /// One child, by its weight; not the one of the last time, if there are others.
    Random = 3,
    /// One child, each once before any comes again, in an order by chance.
    Shuffle = 4,
    /// The child whose word a parameter has, else the one without a word.
    Switch = 5,
}

impl SoundNodeKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Wave, Self::Layers, Self::Sequence, Self::Random, Self::Shuffle, Self::Switch];

    pub(crate) fn of(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// What a curve of a sound changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum CurveTarget {
    /// Adds decibels.
    Volume = 0,
    /// Is a factor of its speed, and so of its pitch.
    Speed = 1,
    /// Is a frequency in hertz, from which on it is quieter. The lowest of several counts.
    LowPass = 2,
}

/// A sound that was opened: a view of bytes that were verified once.
///
/// # Layout
///
/// ```text
/// nodes     | kind | wave | children | curves | parameter | volume | speed | delay | ..   64 bytes each
/// children  | node | weight | word                                                        12 bytes each
/// curves    | parameter | target | points                                                 16 bytes each
/// points    | parameter's value | what follows                                             8 bytes each
/// markers   | node | second | name                                                        12 bytes each
/// waves     | name                                                                         8 bytes each
/// ```
///
/// Children come after their parents, so a walk needs no stack of unknown depth and ends.
///
/// # Invariants
///
/// 1. Node 0 is the root; each other node is the child of one node, which is before it.
/// 2. Waves have a wave and no children; all others have at least one child.
/// 3. Children of sequences come to one wave: they are no layers or sequences, nor have such.
/// 4. Markers are of waves, in the order of nodes and of time.
/// 5. Each curve has 1 to 64 points, whose values ascend. All numbers are finite and within their ranges.
#[derive(Clone, Copy)]
pub struct SoundTree<'b> {
    bus: IdString32,
    group: IdString32,
    priority: u32,
    fade_out: f32,
    distance: [f32; 2],
    cone: [f32; 3],
    doppler: f32,
    occlusion: f32,
    nodes: &'b [SoundNodeImage],
    children: &'b [SoundChildImage],
    curves: &'b [SoundCurveImage],
    points: &'b [[f32; 2]],
    markers: &'b [SoundMarkerImage],
    waves: &'b [IdString64],
}

impl<'b> SoundTree<'b> {
    /// Opens the payload of a resource of type `sound`. It must be at a multiple of 16, as that of a loaded
    /// resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let tree = Self::open_verified(payload)?;
        tree.verify()?;
        Ok(tree)
    }

    /// Opens what [`open`](Self::open) has accepted before, without a second look at its nodes. Calls on
    /// bytes that it would not accept can panic.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`DataError`] if it is not a blob of this type.
    pub fn open_verified(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<SoundImage>::open_structure(payload)
            .map_err(|error| DataError::blob(SOUND_TYPE, error))?;
        let image = blob.root();
        Ok(Self {
            bus: image.bus,
            group: image.group,
            priority: image.priority,
            fade_out: image.fade_out,
            distance: image.distance,
            cone: image.cone,
            doppler: image.doppler,
            occlusion: image.occlusion,
            nodes: blob.array(&image.nodes),
            children: blob.array(&image.children),
            curves: blob.array(&image.curves),
            points: blob.array(&image.points),
            markers: blob.array(&image.markers),
            waves: blob.array(&image.waves),
        })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        verify::verify(self)
    }

    /// The bus on which it is heard.
    #[must_use]
    pub const fn bus(&self) -> IdString32 {
        self.bus
    }

    /// The group whose voices it shares; `None` if it shares none.
    #[must_use]
    pub const fn group(&self) -> Option<IdString32> {
        if self.group.hash() == 0 { None } else { Some(self.group) }
    }

    /// Which of several has a voice where there are too few, up to [`SOUND_PRIORITY_MAX`]: the one with more.
    #[must_use]
    pub const fn priority(&self) -> u32 {
        self.priority
    }

    /// The seconds over which it fades out when it is stopped.
    #[must_use]
    pub const fn fade_out(&self) -> f32 {
        self.fade_out
    }

    /// Up to how many metres it is as loud as it is, and from how many on nothing is heard of it.
    #[must_use]
    pub const fn distance(&self) -> [f32; 2] {
        self.distance
    }

    /// Within how many degrees around its direction it is as loud as it is, outside of how many it is
    /// quieter, and the factor there. Angles are whole: 360 is everywhere.
    #[must_use]
    pub const fn cone(&self) -> [f32; 3] {
        self.cone
    }

    /// How much of the Doppler effect it has: 1 as in nature.
    #[must_use]
    pub const fn doppler(&self) -> f32 {
        self.doppler
    }

    /// How much of it walls take, from 0 to 1.
    #[must_use]
    pub const fn occlusion(&self) -> f32 {
        self.occlusion
    }

    /// The markers of a node, in the order of time.
    #[must_use]
    pub fn markers(&self, node: u32) -> &'b [SoundMarkerImage] {
        let first = self.markers.partition_point(|marker| marker.node < node);
        let after = self.markers.partition_point(|marker| marker.node <= node);
        &self.markers[first..after]
    }

    /// Returns `true` if parameters change what was started.
    #[must_use]
    pub const fn has_curves(&self) -> bool {
        !self.curves.is_empty()
    }

    /// The names of its waves; parts name them by their place here.
    #[must_use]
    pub const fn waves(&self) -> &'b [IdString64] {
        self.waves
    }

    /// The number of nodes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `false`: a sound has a root.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn children(&self, node: &SoundNodeImage) -> &'b [SoundChildImage] {
        let [first, count] = node.children.map(|number| number as usize);
        &self.children[first..first + count]
    }

    fn curves(&self, node: &SoundNodeImage) -> &'b [SoundCurveImage] {
        let [first, count] = node.curves.map(|number| number as usize);
        &self.curves[first..first + count]
    }

    fn points(&self, curve: &SoundCurveImage) -> &'b [[f32; 2]] {
        let [first, count] = curve.points.map(|number| number as usize);
        &self.points[first..first + count]
    }
}

impl fmt::Debug for SoundTree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SoundTree").field("nodes", &self.len()).finish_non_exhaustive()
    }
}
