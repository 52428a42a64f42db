//! Textures of PNG.

use astc_decode::{Footprint, astc_decode_block};
use loligo_render::{TextureLevel, TexturePacking, TextureResource, TextureWrap};
use png::{BitDepth, ColorType, Encoder};

use super::{Place, aligned};

/// Writes a PNG.
pub(super) fn png(width: u32, height: u32, kind: (ColorType, BitDepth), samples: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(kind.0);
    encoder.set_depth(kind.1);
    if kind.0 == ColorType::Indexed {
        encoder.set_palette(vec![10, 20, 30, 40, 50, 60]);
    }
    let mut writer = encoder.write_header().expect("a sound header");
    writer.write_image_data(samples).expect("as many samples as there should be");
    drop(writer);
    bytes
}

/// Compiles a picture and calls `check` with it.
fn with<R>(
    source: Option<&str>,
    picture: &[u8],
    check: impl FnOnce(&TextureResource<'_>) -> R,
) -> R {
    let place = Place::with(&[("a.png", picture)]);
    if let Some(source) = source {
        place.write("a.texture", source.as_bytes());
    }
    aligned(&place.payload("texture", "a"), |bytes| {
        let texture = TextureResource::open(bytes).expect("it was just compiled");
        texture.validate();
        check(&texture)
    })
}

const RGBA: (ColorType, BitDepth) = (ColorType::Rgba, BitDepth::Eight);
const GREY: (ColorType, BitDepth) = (ColorType::Grayscale, BitDepth::Eight);

#[test]
fn smaller_levels_are_averages_of_light() {
    // Half of the light of white is 188 in sRGB.
    for (source, half) in
        [(None, 188), (Some("color = \"srgb\""), 188), (Some("color = \"linear\""), 128)]
    {
        with(source, &png(2, 2, GREY, &[0, 255, 255, 0]), |texture| {
            assert_eq!((texture.width(), texture.height()), (2, 2));
            assert_eq!(texture.is_linear(), half == 128);
            let levels: Vec<TextureLevel<'_>> = texture.levels().collect();
            let black_white = [[0, 0, 0, 255], [255; 4], [255; 4], [0, 0, 0, 255]].concat();
            assert_eq!(levels[0].pixels, black_white);
            assert_eq!((levels.len(), levels[1].pixels), (2, &[half, half, half, 255][..]));
        });
    }
}

#[test]
fn what_is_clear_gives_no_color_to_what_is_not() {
    let samples = [[200, 100, 50, 255], [0, 255, 0, 0], [200, 100, 50, 255], [0, 255, 0, 0]];
    with(None, &png(2, 2, RGBA, &samples.concat()), |texture| {
        let last = texture.levels().last().expect("there is one");
        assert_eq!(last.pixels, [200, 100, 50, 128]);
    });
}

#[test]
fn sides_of_any_length_go_down_to_one_pixel() {
    let sizes = [(1, 1), (1, 7), (5, 3), (6, 1), (17, 64), (100, 99)];
    for (width, height) in sizes {
        let samples = vec![77; (width * height) as usize];
        with(None, &png(width, height, GREY, &samples), |texture| {
            assert_eq!((texture.width(), texture.height()), (width, height));
            for level in texture.levels() {
                let pixels = level.pixels.as_chunks().0;
                assert!(pixels.iter().all(|pixel| *pixel == [77, 77, 77, 255]), "{level:?}");
                assert_eq!(pixels.len() as u32, level.width * level.height);
            }
        });
    }
    // A row of three: the last pixel is the average of all, not of the first two.
    with(Some("color = \"linear\""), &png(3, 1, GREY, &[0, 0, 240]), |texture| {
        assert_eq!(texture.levels().last().expect("there is one").pixels, [80, 80, 80, 255]);
    });
}

#[test]
fn large_levels_are_the_tail() {
    // Sides, whether of blocks, the first level after the tail: blocks must be whole.
    let all = [
        (64, 64, false, 0),
        (100, 99, false, 1),
        (256, 32, false, 2),
        (256, 128, true, 2),
        (200, 200, true, 1),
        (52, 104, true, 0),
    ];
    for (width, height, is_packed, first) in all {
        let samples: Vec<u8> = (0..width * height).map(|at| (at * 7 % 251) as u8).collect();
        let place = Place::with(&[("a.png", &png(width, height, GREY, &samples))]);
        let compress = if is_packed { "compress = \"colors\"" } else { "" };
        place.write("a.texture", format!("color = \"linear\" {compress}").as_bytes());
        assert_eq!(place.compile().errors, [], "it is right");
        let (front, tail) = place.last_parts("texture", "a");
        aligned(&front, |bytes| {
            let texture = TextureResource::open(bytes).expect("it was just compiled");
            texture.validate();
            let parts = texture.tail();
            assert_eq!((texture.first_level(), parts.levels()), (first, first), "{width}");
            assert_eq!((tail.len() as u64, 0), (parts.from_end(0), parts.from_end(first)));
            let count = texture.level_count() - first;
            assert_eq!(count as usize, texture.levels().len());
            let whole = parts.packing().bytes_from([width, height], 0);
            assert_eq!((tail.len() + texture.pixels().len()) as u64, whole);
            if !is_packed {
                let plain: Vec<u8> = tail.chunks(4).map(|pixel| pixel[0]).collect();
                let from_front = texture.pixels().chunks(4).map(|pixel| pixel[0]);
                let largest: Vec<u8> = plain.into_iter().chain(from_front).collect();
                assert_eq!(largest[..samples.len()], samples, "the largest level is the picture");
            }
            for level in 0..first {
                let from = tail.len() - parts.from_end(level) as usize;
                assert!(parts.are_right(level, &tail[from..]), "{level} of {width}");
                let one = (parts.from_end(level) - parts.from_end(level + 1)) as usize;
                assert!(parts.are_right(level, &tail[from..from + one]), "one alone");
                assert!(!parts.are_right(level, &tail[from..tail.len() - 1]), "cut");
                let mut damaged = tail[from..].to_vec();
                damaged[one / 2] ^= 1;
                assert!(!parts.are_right(level, &damaged), "damaged");
            }
            let sides = parts.sides(first);
            let longest = sides[0].max(sides[1]) as f32;
            assert_eq!((parts.level_for(0.0), parts.level_for(longest)), (first, first));
            assert_eq!(parts.level_for(f32::INFINITY), 0);
            assert_eq!(parts.level_for(longest + 1.0), first.saturating_sub(1));
        });
    }
}

#[test]
fn all_kinds_of_png_become_four_bytes_a_pixel() {
    let kinds: [(ColorType, BitDepth, &[u8], [u8; 4]); 7] = [
        (ColorType::Rgb, BitDepth::Eight, &[1, 2, 3], [1, 2, 3, 255]),
        (ColorType::Rgba, BitDepth::Eight, &[1, 2, 3, 4], [1, 2, 3, 4]),
        (ColorType::GrayscaleAlpha, BitDepth::Eight, &[9, 8], [9, 9, 9, 8]),
        (ColorType::Rgb, BitDepth::Sixteen, &[1, 0, 2, 0, 3, 0], [1, 2, 3, 255]),
        (ColorType::Grayscale, BitDepth::One, &[0x80], [255, 255, 255, 255]),
        (ColorType::Indexed, BitDepth::Eight, &[1], [40, 50, 60, 255]),
        (ColorType::Indexed, BitDepth::Two, &[0x40], [40, 50, 60, 255]),
    ];
    for (color, depth, samples, pixel) in kinds {
        with(None, &png(1, 1, (color, depth), samples), |texture| {
            assert_eq!(texture.pixels(), pixel, "{color:?} of {depth:?}");
        });
    }
}

#[test]
fn a_source_tells_picture_and_wrap() {
    let place = Place::with(&[("sub/b.png", &png(1, 1, GREY, &[7]))]);
    place.write("a.texture", b"image = \"sub/b.png\" wrap = \"mirror\"");
    aligned(&place.payload("texture", "a"), |bytes| {
        let texture = TextureResource::open(bytes).expect("it was just compiled");
        assert_eq!((texture.wrap(), texture.is_linear()), (TextureWrap::Mirror, false));
    });
    place.write("sub/b.png", &png(1, 1, GREY, &[8]));
    let changed = place.compile().changed;
    assert_eq!(
        changed.len(),
        2,
        "the source leads to the picture, which is one itself: {changed:?}"
    );
}

#[test]
fn heights_become_normals() {
    // A ramp to the right, a cliff at its end; then the same from above.
    let ramp = png(4, 1, GREY, &[0, 64, 128, 192]);
    let place = Place::with(&[("a.png", &ramp)]);
    let first = |source: &str, file: &[u8]| {
        place.write("a.png", file);
        place.write("a.texture", source.as_bytes());
        aligned(&place.payload("texture", "a"), |bytes| {
            let texture = TextureResource::open(bytes).expect("it was just compiled");
            assert!(texture.is_linear(), "normals are no colors");
            let level = texture.levels().next().expect("there is one");
            level.pixels.chunks(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect::<Vec<_>>()
        })
    };
    // It rises by a pixel for each: they look to the left, half up and half out.
    let slope = (128.0 - 127.0 * 0.5_f64.sqrt()).round() as u8;
    let out = (128.0 + 127.0 * 0.5_f64.sqrt()).round() as u8;
    let pixels = first("normals = 3.984375 wrap = \"clamp\"", &ramp);
    for pixel in &pixels[1..3] {
        assert!(pixel[0].abs_diff(slope) <= 1 && pixel[1] == 128, "{pixel:?}");
        assert!(pixel[2].abs_diff(out) <= 1, "{pixel:?}");
    }
    assert!(pixels[0][0] > pixels[1][0], "half as steep where it goes on flat: {pixels:?}");
    let pixels = first("normals = 3.984375", &ramp);
    assert!(pixels[0][0] > 200 && pixels[3][0] > 200, "over the edge it falls: {pixels:?}");
    let pixels = first("normals = -3.984375 wrap = \"clamp\"", &ramp);
    assert!(pixels[1][0] > 200, "the other way around: {pixels:?}");
    let down = png(1, 4, GREY, &[0, 64, 128, 192]);
    let pixels = first("normals = 3.984375 wrap = \"clamp\"", &down);
    assert!(pixels[1][1] > 200 && pixels[1][0] == 128, "it rises downwards: {pixels:?}");
}

/// A picture of 8 by 8 pixels, whose left half is red and whose right half is blue and half as
/// opaque, if it is to be.
fn halves(opacity: u8) -> Vec<u8> {
    let pixel = |at: usize| if at % 8 < 4 { [240, 10, 10, 255] } else { [10, 10, 240, opacity] };
    let pixels: Vec<u8> = (0..64).flat_map(pixel).collect();
    png(8, 8, RGBA, &pixels)
}

#[test]
fn textures_are_stored_in_blocks_where_they_are_to_be() {
    use texpresso::Format::{Bc1, Bc3, Bc5};
    let cases = [
        (255, "compress = \"colors\"", TexturePacking::Colors, Bc1, [240, 10, 10, 255]),
        (99, "compress = \"colors\"", TexturePacking::ColorsAndOpacity, Bc3, [240, 10, 10, 255]),
        (
            255,
            "compress = \"normals\" color = \"linear\"",
            TexturePacking::Normals,
            Bc5,
            [240, 10, 0, 255],
        ),
    ];
    for (opacity, source, packing, format, first) in cases {
        with(Some(source), &halves(opacity), |texture| {
            texture.validate();
            assert_eq!((texture.packing(), texture.levels().len()), (packing, 4), "{source}");
            let level = texture.levels().next().expect("there is one");
            let mut pixels = [0; 8 * 8 * 4];
            format.decompress(level.pixels, 8, 8, &mut pixels);
            let is_near = |found: &[u8], wanted: [u8; 4]| {
                found.iter().zip(wanted).all(|(one, other)| one.abs_diff(other) <= 8)
            };
            assert!(is_near(&pixels[..4], first), "{source}: {:?}", &pixels[..4]);
            let last = &pixels[7 * 4..8 * 4];
            let opacity = if packing == TexturePacking::ColorsAndOpacity { opacity } else { 255 };
            let blue = if packing == TexturePacking::Normals { 0 } else { 240 };
            assert!(is_near(last, [10, 10, blue, opacity]), "{source}: {last:?}");
        });
    }
}

#[test]
fn larger_levels_are_left_out_where_a_side_is_stated() {
    let whole = with(None, &halves(255), |texture| {
        texture.levels().map(|level| level.pixels.to_vec()).collect::<Vec<_>>()
    });
    for (side, skipped) in [(8, 0), (100, 0), (7, 1), (4, 1), (1, 3)] {
        with(Some(&format!("side = {side}")), &halves(255), |texture| {
            texture.validate();
            let levels: Vec<_> = texture.levels().map(|level| level.pixels.to_vec()).collect();
            assert_eq!((texture.width(), &*levels), (8 >> skipped, &whole[skipped..]), "{side}");
        });
    }
}

#[test]
fn what_is_wrong_with_a_texture_has_its_place() {
    let fault = |source: &str| Place::with(&[("a.texture", source.as_bytes())]).fault();
    let is = |text: String, wanted: &str| assert_eq!(text, wanted);
    is(
        fault(""),
        "a.texture:1:1: no `image` is named, and there is no `a.png`; name a PNG: \
         `image = \"textures/stone.png\"`",
    );
    is(
        fault("\n image = \"b.png\""),
        "a.texture:2:10: there is no file `b.png`; give its path from the project's folder on",
    );
    let place = Place::with(&[("a.png", &png(6, 4, GREY, &[7; 24]))]);
    place.write("a.texture", b"compress = \"colors\"");
    is(
        place.fault(),
        "a.png: 6 by 4 pixels are no whole blocks of 4 by 4; make both sides multiples of 4, or leave `compress` out",
    );
    is(
        fault("image = \"a.texture\" side = 0"),
        "a.texture:1:28: 0 is not in the range; write a number from 1 to 8192",
    );
    is(
        fault("image = \"a.texture\" color = \"srgb\" normals = 2"),
        "a.texture:1:29: normals are no colors in sRGB; leave the key out",
    );
    is(fault("imge = 1"), "a.texture:1:1: the key `imge` means nothing here; is `image` meant?");
    is(
        fault("wrap = \"around\""),
        "a.texture:1:8: \"around\" means nothing here; the values are \"repeat\", \"clamp\", \"mirror\"",
    );
    assert!(fault("image = \"../b.png\"").starts_with("a.texture:1:9: `../b.png` is no path"));
}

#[test]
fn six_faces_become_a_picture_of_all_directions() {
    const NAMES: [&str; 6] = ["front", "right", "back", "left", "up", "down"];
    let gray = |number: usize| 40 * number as u8 + 20;
    let face = |number: usize| png(8, 8, GREY, &[gray(number); 64]);
    let files: Vec<(String, Vec<u8>)> =
        NAMES.iter().enumerate().map(|(at, name)| (format!("{name}.png"), face(at))).collect();
    let mut files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let source = |names: &[&str]| -> String {
        let faces: String = names.iter().map(|name| format!("{name} = \"{name}.png\" ")).collect();
        format!("faces = {{ {faces} }}")
    };
    let whole = source(&NAMES);
    files.push(("a.texture", whole.as_bytes()));
    let place = Place::with(&files);
    aligned(&place.payload("texture", "a"), |bytes| {
        let texture = TextureResource::open(bytes).expect("it was just compiled");
        texture.validate();
        assert_eq!((texture.width(), texture.height()), (32, 16), "four faces wide, two high");
        let first = texture.levels().next().expect("there is one");
        let at = |x: usize, y: usize| first.pixels[(y * 32 + x) * 4];
        // Ahead is in the middle, and the right half goes on to the right.
        let found = [(16, 8), (24, 8), (0, 8), (31, 8), (8, 8), (16, 0), (16, 15)];
        let found = found.map(|(x, y)| at(x, y));
        let [front, right, back, left, up, down] = [0, 1, 2, 3, 4, 5].map(gray);
        assert_eq!(found, [front, right, back, back, left, up, down]);
    });
    let fault = |source: &str| {
        place.write("a.texture", source.as_bytes());
        place.fault()
    };
    assert_eq!(
        fault(&source(&NAMES[1..])),
        "a.texture:1:9: there is no `front`; name a PNG: `front = \"skies/front.png\"`"
    );
    assert_eq!(
        fault(&format!("{whole} image = \"up.png\"")),
        "a.texture:1:9: six faces are neither an image nor normals; leave the other key out"
    );
    assert_eq!(
        fault("faces = { front = \"gone.png\" }"),
        "a.texture:1:19: there is no file `gone.png`; give its path from the project's folder on"
    );
    place.write("right.png", &png(8, 4, GREY, &[9; 32]));
    assert_eq!(
        fault(&whole),
        "a.texture:1:39: the face has 8 by 4 pixels; make all faces squares of one size"
    );
}

/// Where the encoder is there its blocks are decoded by another library; where it is not, a texture
/// that wants them is an error.
#[test]
fn textures_are_of_astc_where_the_encoder_is_built_in() {
    if !cfg!(feature = "astc") {
        let place = Place::with(&[("a.png", &halves(99))]);
        place.write("a.texture", b"\n  compress = \"astc\"");
        let fault = place.fault();
        assert!(fault.contains("a.texture:2:14"), "{fault}");
        let said =
            "`a.texture` is to be of ASTC for the platform `linux`, and this program was built";
        assert!(fault.contains(said) && fault.contains("feature `astc`"), "{fault}");
        return;
    }
    for source in ["compress = \"astc\"", "compress = \"astc\" color = \"linear\""] {
        with(Some(source), &halves(99), |texture| {
            texture.validate();
            assert_eq!((texture.packing(), texture.levels().len()), (TexturePacking::Astc, 4));
            let level = texture.levels().next().expect("there is one");
            let blocks = level.pixels.as_chunks::<16>().0;
            let mut pixels = vec![[0; 4]; 64];
            for (number, block) in blocks.iter().enumerate() {
                let (left, top) = (number % 2 * 4, number / 2 * 4);
                let put = |x: u32, y: u32, pixel| {
                    pixels[(top + y as usize) * 8 + left + x as usize] = pixel;
                };
                assert!(astc_decode_block(block, Footprint::new(4, 4), put), "block {number}");
            }
            for (at, pixel) in pixels.into_iter().enumerate() {
                let wanted = if at % 8 < 4 { [240, 10, 10, 255] } else { [10, 10, 240, 99] };
                let far = pixel.into_iter().zip(wanted);
                let far = far.map(|(one, other): (u8, u8)| one.abs_diff(other)).max();
                assert!(far < Some(9), "{source}: pixel {at}");
            }
        });
    }
}
