//! What a pixel is.

/// What a pixel of a texture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One byte, from 0 to 1.
    R8,
    /// Four bytes, each from 0 to 1.
    Rgba8,
    /// Four bytes; the colors are in sRGB, and shaders see them linear.
    Rgba8Srgb,
    /// Four bytes in the order blue, green, red, opacity; the colors are in sRGB. Windows are often
    /// so.
    Bgra8Srgb,
    /// Two floats of 16 bits.
    Rg16F,
    /// Four floats of 16 bits.
    Rgba16F,
    /// A float of 32 bits, which no sampler may mix.
    R32F,
    /// A depth of 32 bits.
    Depth32F,
}

impl Format {
    /// Returns how many bytes a pixel has.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::R8 => 1,
            Self::Rgba8
            | Self::Rgba8Srgb
            | Self::Bgra8Srgb
            | Self::Rg16F
            | Self::R32F
            | Self::Depth32F => 4,
            Self::Rgba16F => 8,
        }
    }

    /// Returns `true` if it holds depths and no colors.
    #[must_use]
    pub const fn is_depth(self) -> bool {
        matches!(self, Self::Depth32F)
    }

    pub(crate) const fn wgpu(self) -> wgpu::TextureFormat {
        match self {
            Self::R8 => wgpu::TextureFormat::R8Unorm,
            Self::Rgba8 => wgpu::TextureFormat::Rgba8Unorm,
            Self::Rgba8Srgb => wgpu::TextureFormat::Rgba8UnormSrgb,
            Self::Bgra8Srgb => wgpu::TextureFormat::Bgra8UnormSrgb,
            Self::Rg16F => wgpu::TextureFormat::Rg16Float,
            Self::Rgba16F => wgpu::TextureFormat::Rgba16Float,
            Self::R32F => wgpu::TextureFormat::R32Float,
            Self::Depth32F => wgpu::TextureFormat::Depth32Float,
        }
    }
}
