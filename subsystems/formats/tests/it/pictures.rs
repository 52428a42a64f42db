//! Pictures of every kind, and what is wrong with them.

use loligo_formats::Picture;
use png::{BitDepth, ColorType, Encoder};

/// Returns a PNG of two pixels in a row.
fn png(color: ColorType, depth: BitDepth, samples: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().expect("a vector takes it");
    writer.write_image_data(samples).expect("a vector takes it");
    writer.finish().expect("a vector takes it");
    bytes
}

#[test]
fn each_kind_becomes_four_bytes_a_pixel() {
    let kinds: [(ColorType, BitDepth, &[u8]); 5] = [
        (ColorType::Rgba, BitDepth::Eight, &[7, 7, 7, 255, 9, 9, 9, 255]),
        (ColorType::Rgb, BitDepth::Eight, &[7, 7, 7, 9, 9, 9]),
        (ColorType::GrayscaleAlpha, BitDepth::Eight, &[7, 255, 9, 255]),
        (ColorType::Grayscale, BitDepth::Eight, &[7, 9]),
        (ColorType::Grayscale, BitDepth::Sixteen, &[7, 7, 9, 9]),
    ];
    for (color, depth, samples) in kinds {
        let picture = Picture::read(&png(color, depth, samples), 2).expect("it is whole");
        assert_eq!((picture.width, picture.height), (2, 1), "{color:?}");
        assert_eq!(picture.pixels, [7, 7, 7, 255, 9, 9, 9, 255], "{color:?} {depth:?}");
    }
}

#[test]
fn what_is_wrong_is_named_with_a_remedy() {
    let whole = png(ColorType::Grayscale, BitDepth::Eight, &[7, 9]);
    let fault = |bytes: &[u8], side_max| {
        Picture::read(bytes, side_max).expect_err("it is wrong").to_string()
    };
    let large = fault(&whole, 1);
    assert!(large.contains("the picture has 2 by 1 pixels; make its sides 1 at"), "{large}");
    for length in 0..whole.len() {
        // The last twelve bytes say that there is no more.
        if let Err(error) = Picture::read(&whole[..length], 2) {
            assert!(error.to_string().contains("; save the picture again as PNG"), "{error}");
        } else {
            assert!(length + 12 >= whole.len(), "a picture of {length} bytes lacks something");
        }
    }
    // A header of many pixels, with few bytes after it.
    let mut many = whole;
    many[16..24].copy_from_slice(&[0, 0, 0x1f, 0xff, 0, 0, 0x1f, 0xff]);
    let crc = crc(&many[12..29]);
    many[29..33].copy_from_slice(&crc.to_be_bytes());
    let cut = fault(&many, 1 << 13);
    assert!(cut.contains("8191 by 8191 pixels cannot be in"), "{cut}");
}

/// The checksum of a part of a PNG.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 }
        })
    };
    !bytes.iter().fold(u32::MAX, step)
}
