//! How something is drawn, as pipelines must know it.

use crate::gpu::data::MaterialData;

/// How something is drawn: a row of pipelines has one for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// A triangle over the whole picture.
    FullScreen,
    Meshes {
        /// Nothing is drawn where the opacity is too low.
        is_cut_out: bool,
        is_two_sided: bool,
    },
}

impl Drawn {
    /// All of them, in the order of their numbers.
    pub(super) const ALL: [Self; 5] = [
        Self::Meshes { is_cut_out: false, is_two_sided: false },
        Self::Meshes { is_cut_out: true, is_two_sided: false },
        Self::Meshes { is_cut_out: false, is_two_sided: true },
        Self::Meshes { is_cut_out: true, is_two_sided: true },
        Self::FullScreen,
    ];

    /// Returns how meshes of a material are drawn.
    pub(super) fn of(material: &MaterialData) -> Self {
        Self::Meshes { is_cut_out: material.cutout > 0.0, is_two_sided: material.two_sided }
    }

    /// Returns its place in a row of pipelines.
    pub(super) const fn number(self) -> usize {
        match self {
            Self::FullScreen => 4,
            Self::Meshes { is_cut_out, is_two_sided } => {
                is_cut_out as usize + 2 * is_two_sided as usize
            }
        }
    }
}
