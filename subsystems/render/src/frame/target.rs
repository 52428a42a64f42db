//! What a target is made of.

/// What a pixel of a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetFormat {
    /// One byte: from 0 to 1.
    R8,
    /// Four bytes, each from 0 to 1.
    Rgba8,
    /// Four bytes, the colors in sRGB.
    Rgba8Srgb,
    /// Two floats of 16 bits.
    Rg16F,
    /// Four floats of 16 bits.
    Rgba16F,
    /// A float of 32 bits.
    R32F,
    /// A depth of 32 bits.
    Depth32F,
}

impl TargetFormat {
    /// All formats.
    pub const ALL: [Self; 7] = [
        Self::R8,
        Self::Rgba8,
        Self::Rgba8Srgb,
        Self::Rg16F,
        Self::Rgba16F,
        Self::R32F,
        Self::Depth32F,
    ];

    /// Returns the name that a frame's description has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::R8 => "r8",
            Self::Rgba8 => "rgba8",
            Self::Rgba8Srgb => "rgba8_srgb",
            Self::Rg16F => "rg16f",
            Self::Rgba16F => "rgba16f",
            Self::R32F => "r32f",
            Self::Depth32F => "depth32f",
        }
    }

    /// Returns `true` if it holds depths and no colors.
    #[must_use]
    pub const fn is_depth(self) -> bool {
        matches!(self, Self::Depth32F)
    }
}

/// How large a target is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TargetSize {
    /// As large as the window, times this.
    Scale(f32),
    /// Width and height in pixels.
    Pixels([u32; 2]),
}

impl TargetSize {
    /// Returns the size of a target in pixels for a window of this size: at least one each way.
    #[must_use]
    pub fn pixels(self, window: [u32; 2]) -> [u32; 2] {
        match self {
            Self::Scale(scale) => window.map(|pixels| ((pixels as f32 * scale) as u32).max(1)),
            Self::Pixels(pixels) => pixels,
        }
    }
}
