//! The layout of a resource, byte for byte: what is on players' machines must be readable tomorrow.

use core::fmt::Write as _;

use crate::memory::with_memory;
use crate::world::compiled;

const SOURCE: &str = r#"
components = { tag = [ "door" "wood" ] data = { open = true } health = 2.5 }
children = { lock = { components = { transform = { position = [ 1 0 0 ] } data = { open = true } } } }
"#;

/// The compiled form of [`SOURCE`] in words of 32 bits, little endian, after the blob's header.
const GOLDEN: &str = include_str!("golden.txt");

#[test]
fn the_layout_is_as_it_was() {
    with_memory(|memory| {
        let bytes = compiled(SOURCE, &[], memory);
        let (head, body) = bytes.split_at(48);
        assert_eq!(&head[..8], b"loliblob");
        assert_eq!(&head[24..32], SHAPE, "the structs are other ones: count the version up");
        let mut text = String::new();
        for line in body.as_chunks::<16>().0 {
            for word in line.as_chunks().0 {
                let _ = write!(text, "{:08x} ", u32::from_ne_bytes(*word));
            }
            text.pop();
            text.push('\n');
        }
        assert!(text == GOLDEN, "the layout is now\n{text}");
    });
}

/// The hash of the structs' shapes.
const SHAPE: &[u8; 8] = &[213, 176, 19, 107, 217, 13, 255, 179];
