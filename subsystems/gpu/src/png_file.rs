//! Pictures as PNG files.

use core::error::Error;
use core::fmt;
use std::io;

use crate::error::Message;
use crate::scope::scope;

/// A picture could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum PngError {
    /// The pixels are not as many as width and height say.
    Size {
        /// How wide and how high.
        pixels: [u32; 2],
        /// How many bytes there are.
        bytes: usize,
    },
    /// The file could not be written.
    File(Message),
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { pixels: [width, height], bytes } => write!(
                f,
                "a picture of {width} by {height} pixels has {} bytes, and {bytes} were given",
                u64::from(*width) * u64::from(*height) * 4
            ),
            Self::File(why) => write!(f, "the picture could not be written: {why}"),
        }
    }
}

impl Error for PngError {}

/// Writes a picture as PNG: four bytes a pixel, red, green, blue and opacity, the colors in sRGB.
///
/// # Complexity
///
/// O(pixels).
///
/// # Memory
///
/// Of the global heap, within the hook of [`set_scope`](crate::set_scope).
///
/// # Errors
///
/// [`PngError`].
///
/// # Examples
///
/// ```
/// let mut file = Vec::new();
/// loligo_gpu::write_png(&mut file, [2, 1], &[255, 0, 0, 255, 0, 0, 255, 255])?;
/// assert_eq!(&file[1..4], b"PNG");
/// # Ok::<(), loligo_gpu::PngError>(())
/// ```
pub fn write_png<W: io::Write>(file: W, pixels: [u32; 2], rgba: &[u8]) -> Result<(), PngError> {
    let [width, height] = pixels;
    if u64::from(width) * u64::from(height) * 4 != rgba.len() as u64 || rgba.is_empty() {
        return Err(PngError::Size { pixels, bytes: rgba.len() });
    }
    scope(|| {
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(rgba)?;
        writer.finish()
    })
    .map_err(|why| PngError::File(Message::new(&why)))
}
