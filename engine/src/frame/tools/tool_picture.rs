//! A picture for tools: made smaller, as PNG in base 64.

use core::fmt::{self, Write as _};
use std::io;
use std::string::String;
use std::vec::Vec;

use loligo_sjson::{Nest, Writer};

/// The longest side of a picture that is sent, in pixels.
const SIDE_MAX: u32 = 480;

/// A picture, as it was drawn and as it is sent. It keeps its memory.
#[derive(Default)]
pub(super) struct ToolPicture {
    /// What was drawn: rows of red, green, blue and opacity; and its width and height.
    pub(super) drawn: Vec<u8>,
    pub(super) of: [u32; 2],
    /// What is sent: three bytes a pixel, as a file, and as text.
    size: [u32; 2],
    pixels: Vec<u8>,
    file: Vec<u8>,
    text: String,
}

impl ToolPicture {
    /// Makes what is sent of what was drawn: a picture without pixels where that fails, and where
    /// nothing was drawn.
    pub(super) fn encode(&mut self) {
        self.text.clear();
        self.size = [0; 2];
        let [width, height] = self.of.map(|side| side as usize);
        // A window that has just changed its size has a picture of the size before.
        let is_of_size = self.drawn.len() == width * height * 4;
        if let Some(size) = smaller(self.of).filter(|_| is_of_size)
            && self.try_encode(size).is_ok()
        {
            self.size = size;
        }
    }

    fn try_encode(&mut self, size: [u32; 2]) -> io::Result<()> {
        let Self { drawn, of, pixels, file, text, .. } = self;
        pixels.clear();
        shrink(drawn, *of, size, pixels);
        file.clear();
        let mut encoder = png::Encoder::new(&mut *file, size[0], size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fastest);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(pixels)?;
        writer.finish()?;
        base_64(file, text);
        Ok(())
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>) -> fmt::Result {
        writer.start(Nest::Object)?;
        let sides = [self.size[0], self.size[1], self.of[0], self.of[1]];
        let keys = ["width", "height", "of_width", "of_height"];
        for (key, side) in keys.into_iter().zip(sides) {
            writer.key(key)?;
            writer.u64(u64::from(side))?;
        }
        writer.key("png")?;
        writer.string(&self.text)?;
        writer.end(Nest::Object)
    }
}

/// Returns the size of the picture that is sent for one of another size; `None` for one without
/// pixels.
fn smaller(of: [u32; 2]) -> Option<[u32; 2]> {
    let longest = of[0].max(of[1]);
    if of[0] == 0 || of[1] == 0 {
        return None;
    }
    if longest <= SIDE_MAX {
        return Some(of);
    }
    Some(of.map(|side| (u64::from(side) * u64::from(SIDE_MAX) / u64::from(longest)).max(1) as u32))
}

/// Makes a picture smaller: each pixel is the mean of four that are spread over its place.
fn shrink(picture: &[u8], of: [u32; 2], size: [u32; 2], pixels: &mut Vec<u8>) {
    let [width, height] = of.map(|side| side as usize);
    let [to_width, to_height] = size.map(|side| side as usize);
    // At a quarter and three quarters of the pixel's place.
    let at =
        |to: usize, part: usize, from: usize, count: usize| (to * 4 + part) * from / (count * 4);
    for y in 0..to_height {
        let rows = [1, 3].map(|part| {
            let row = at(y, part, height, to_height) * width * 4;
            &picture[row..][..width * 4]
        });
        for x in 0..to_width {
            let columns = [1, 3].map(|part| at(x, part, width, to_width) * 4);
            for color in 0..3 {
                let sum: u16 = rows
                    .iter()
                    .flat_map(|row| columns.iter().map(|column| u16::from(row[column + color])))
                    .sum();
                pixels.push((sum / 4) as u8);
            }
        }
    }
}

/// Appends bytes in base 64.
fn base_64(bytes: &[u8], text: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            // In place of digits past the last byte there is `=`.
            let digit = if place <= three.len() { digit } else { b'=' };
            // Writing to a string cannot fail.
            let _ = text.write_char(char::from(digit));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn base_64_is_that_of_the_standard() {
        for (bytes, digits) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            let mut text = String::new();
            base_64(bytes.as_bytes(), &mut text);
            assert_eq!(text, digits, "{bytes}");
        }
    }

    #[test]
    fn a_picture_is_made_smaller_and_not_larger() {
        assert_eq!(smaller([1280, 720]), Some([480, 270]), "by its longest side");
        assert_eq!(smaller([100, 50]), Some([100, 50]), "it is small");
        assert_eq!(smaller([10_000, 1]), Some([480, 1]), "no side vanishes");
        assert_eq!(smaller([0, 10]), None, "there is nothing");
        // The left half is white.
        let row: Vec<u8> = (0..960).flat_map(|x| [if x < 480 { 255 } else { 0 }; 4]).collect();
        let mut pixels = vec![];
        shrink(&row.repeat(480), [960, 480], [480, 240], &mut pixels);
        assert_eq!(pixels.len(), 480 * 240 * 3, "three bytes a pixel");
        assert_eq!(pixels[..3], [255; 3], "at the left");
        assert_eq!(pixels[240 * 3..][..3], [0; 3], "in the middle");
    }

    #[test]
    fn a_picture_is_encoded_and_none_is_of_no_pixels() {
        let mut picture =
            ToolPicture { drawn: vec![200; 8 * 4 * 4], of: [8, 4], ..Default::default() };
        picture.encode();
        assert_eq!(picture.size, [8, 4], "its size");
        assert!(picture.text.starts_with("iVBORw0KGgo"), "a PNG: {}", picture.text);
        picture.of = [8, 5];
        picture.encode();
        assert_eq!((picture.size, &*picture.text), ([0, 0], ""), "of another size");
    }
}
