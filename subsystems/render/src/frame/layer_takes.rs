//! What a layer of a frame draws.

/// What a layer of a frame draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LayerTakes {
    /// The objects whose material names the layer.
    #[default]
    Own,
    /// All objects that its view sees, for a shadow map, say.
    All,
    /// No object, but a material over the whole picture.
    Picture,
}

impl LayerTakes {
    /// All of them, with what they are called in a frame.
    pub const ALL: [(&'static str, Self); 3] =
        [("own", Self::Own), ("all", Self::All), ("picture", Self::Picture)];
}
