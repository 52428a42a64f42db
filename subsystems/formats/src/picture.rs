//! Pictures in PNG.

use loligo_compiler::CompileError;
use png::{ColorType, Decoder, DecodingError, Limits, Transformations};
use std::io::Cursor;

/// How many bytes one byte of a deflated stream may become at the most.
const DEFLATE_MAX: u64 = 1032;

/// A picture: rows from the top, four bytes a pixel.
#[derive(Debug)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and opacity of each pixel.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Reads a PNG of any kind, whose sides are `side_max` pixels at the most. Of an animated one it is
    /// the picture that others show. Grey becomes three equal colors, what has no opacity is opaque,
    /// and 16 bits become 8.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if the file is damaged, is no PNG or is too large. It names no file, which the
    /// caller knows.
    pub fn read(bytes: &[u8], side_max: u32) -> Result<Self, CompileError> {
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits::default());
        decoder.set_transformations(Transformations::normalize_to_color8());
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let header = decoder.read_header_info().map_err(|error| damaged(&error, bytes))?;
        let (width, height) = (header.width, header.height);
        let raw = header.raw_bytes() as u64;
        if width.max(height) > side_max {
            let reason = format!("the picture has {width} by {height} pixels");
            let remedy = format!("make its sides {side_max} at the most");
            return Err(CompileError::new(reason, remedy));
        }
        // So that a few bytes do not ask for hundreds of megabytes.
        if raw > DEFLATE_MAX * (bytes.len() as u64) {
            let reason = format!(
                "the PNG is cut: {width} by {height} pixels cannot be in {} bytes",
                bytes.len()
            );
            return Err(CompileError::new(reason, REMEDY));
        }
        let mut reader = decoder.read_info().map_err(|error| damaged(&error, bytes))?;
        let count = width as usize * height as usize;
        let size = reader.output_buffer_size().filter(|size| *size <= 4 * count);
        let mut samples = vec![0; size.unwrap_or(4 * count)];
        let info = reader.next_frame(&mut samples).map_err(|error| damaged(&error, bytes))?;
        samples.truncate(info.buffer_size());
        let pixels = match info.color_type {
            ColorType::Rgba => samples,
            ColorType::Rgb => opened(&samples, |[r, g, b]| [r, g, b, 255]),
            ColorType::GrayscaleAlpha => opened(&samples, |[grey, a]| [grey, grey, grey, a]),
            ColorType::Grayscale | ColorType::Indexed => {
                opened(&samples, |[grey]| [grey, grey, grey, 255])
            }
        };
        if pixels.len() != 4 * count {
            let reason = format!("the PNG has {} of {count} pixels", pixels.len() / 4);
            return Err(CompileError::new(reason, REMEDY));
        }
        Ok(Self { width, height, pixels })
    }
}

const REMEDY: &str = "save the picture again as PNG";

/// Makes pixels of samples.
fn opened<const N: usize>(samples: &[u8], pixel: impl Fn([u8; N]) -> [u8; 4]) -> Vec<u8> {
    samples.as_chunks().0.iter().flat_map(|sample| pixel(*sample)).collect()
}

fn damaged(error: &DecodingError, bytes: &[u8]) -> CompileError {
    let why = match error {
        DecodingError::IoError(_) => {
            format!("it ends within the picture, after {} bytes", bytes.len())
        }
        other => other.to_string(),
    };
    CompileError::new(format!("the PNG is damaged: {why}"), REMEDY)
}
