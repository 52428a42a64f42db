//! The key that a package is sorted by.
//!
//! ```text
//! order            63..56   55 .. 0
//! front_to_back    layer    depth: 24          state: 32
//! back_to_front    layer    not depth: 24      state: 32
//! by_state         layer    state: 32          mesh: 24
//! ```

/// Where the number of the layer begins.
const LAYER_SHIFT: u32 = 56;

/// The bits of a depth, and those of a mesh that count.
const LOW_BITS: u32 = 24;
const LOW_MASK: u64 = (1 << LOW_BITS) - 1;

/// The bits of a state.
const STATE_BITS: u32 = 32;

/// How what a layer holds is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// What is near first, so that what it hides is never shaded; at equal depth by state.
    FrontToBack,
    /// What is far first, as blending needs; at equal depth by state.
    BackToFront,
    /// Equal state together, so that it is set once; within that equal meshes together, in the
    /// order in which they were added: so that instances which follow each other become one record.
    ByState,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::FrontToBack, Self::BackToFront, Self::ByState];

    /// Returns the name that a frame's description has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FrontToBack => "front_to_back",
            Self::BackToFront => "back_to_front",
            Self::ByState => "by_state",
        }
    }
}

/// Makes the keys of one layer.
///
/// # Examples
///
/// ```
/// use loligo_render::{LayerKeys, Order, layer_of};
///
/// let glass = LayerKeys::new(3, Order::BackToFront);
/// assert!(glass.key(1, 0, 100.0) < glass.key(1, 0, 99.0));
/// assert_eq!(layer_of(glass.key(1, 0, 99.0)), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerKeys {
    layer: u8,
    order: Order,
}

impl LayerKeys {
    /// Returns what makes the keys of a layer.
    #[must_use]
    pub const fn new(layer: u8, order: Order) -> Self {
        Self { layer, order }
    }

    /// Returns a key. A few instructions.
    ///
    /// `mesh` is any number that equal meshes share, such as the first index; its low 24 bits
    /// count. `depth` is the distance from the eye in metres, of which 17 significant bits count; a
    /// negative distance and NaN count as 0.
    #[inline]
    #[must_use]
    pub fn key(&self, state: u32, mesh: u32, depth: f32) -> u64 {
        // The bits of positive floats are in their order; the lowest 7 are left out.
        let depth = if depth > 0.0 { u64::from(depth.to_bits() >> 7) } else { 0 };
        let (state, mesh) = (u64::from(state), u64::from(mesh) & LOW_MASK);
        let rest = match self.order {
            Order::FrontToBack => depth << STATE_BITS | state,
            Order::BackToFront => (depth ^ LOW_MASK) << STATE_BITS | state,
            Order::ByState => state << LOW_BITS | mesh,
        };
        u64::from(self.layer) << LAYER_SHIFT | rest
    }
}

impl LayerKeys {
    /// Returns `true` if the layer is drawn from back to front, and blended.
    #[must_use]
    pub const fn is_blended(&self) -> bool {
        matches!(self.order, Order::BackToFront)
    }

    /// Returns the key that comes after all others of the layer.
    #[must_use]
    pub const fn last(&self) -> u64 {
        (self.layer as u64) << LAYER_SHIFT | ((1 << LAYER_SHIFT) - 1)
    }
}

/// Returns the number of the layer that a key is of.
#[inline]
#[must_use]
pub const fn layer_of(key: u64) -> u8 {
    (key >> LAYER_SHIFT) as u8
}
