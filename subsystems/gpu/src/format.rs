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
    /// Blocks of 4 by 4 pixels in 8 bytes: colors without opacity.
    Bc1,
    /// The same in sRGB.
    Bc1Srgb,
    /// Blocks of 4 by 4 pixels in 16 bytes: colors and opacity.
    Bc3,
    /// The same, the colors in sRGB.
    Bc3Srgb,
    /// Blocks of 4 by 4 pixels in 16 bytes: red and green.
    Bc5,
    /// ASTC: blocks of 4 by 4 pixels in 16 bytes: colors and opacity.
    Astc,
    /// The same, the colors in sRGB.
    AstcSrgb,
}

impl Format {
    /// Returns how many pixels a block has on each side: what is stored, and copied, as one.
    #[must_use]
    pub const fn block_side(self) -> u32 {
        match self {
            Self::Bc1
            | Self::Bc1Srgb
            | Self::Bc3
            | Self::Bc3Srgb
            | Self::Bc5
            | Self::Astc
            | Self::AstcSrgb => 4,
            _ => 1,
        }
    }

    /// Returns how many bytes a block has.
    #[must_use]
    pub const fn block_bytes(self) -> u32 {
        match self {
            Self::Bc1 | Self::Bc1Srgb => 8,
            Self::Bc3 | Self::Bc3Srgb | Self::Bc5 | Self::Astc | Self::AstcSrgb => 16,
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
            Self::Bc1 => wgpu::TextureFormat::Bc1RgbaUnorm,
            Self::Bc1Srgb => wgpu::TextureFormat::Bc1RgbaUnormSrgb,
            Self::Bc3 => wgpu::TextureFormat::Bc3RgbaUnorm,
            Self::Bc3Srgb => wgpu::TextureFormat::Bc3RgbaUnormSrgb,
            Self::Bc5 => wgpu::TextureFormat::Bc5RgUnorm,
            Self::Astc => astc(wgpu::AstcChannel::Unorm),
            Self::AstcSrgb => astc(wgpu::AstcChannel::UnormSrgb),
        }
    }
}

const fn astc(channel: wgpu::AstcChannel) -> wgpu::TextureFormat {
    wgpu::TextureFormat::Astc { block: wgpu::AstcBlock::B4x4, channel }
}
