//! The colors of a person as a PNG of one row of squares, and nothing packed.

/// The numbers of the colors.
pub(crate) const SKIN: usize = 0;
pub(crate) const HAIR: usize = 1;
pub(crate) const SHIRT: usize = 2;
pub(crate) const TROUSERS: usize = 3;
pub(crate) const SHOE: usize = 4;

/// How many squares there are, and how many pixels one is wide and high.
pub(crate) const SQUARES: usize = 8;
const PIXELS: usize = 8;

type Color = [u8; 3];

/// Names, shirts and trousers.
pub(crate) const CLOTHES: [(&str, Color, Color); 4] = [
    ("red", [178, 44, 40], [44, 48, 66]),
    ("blue", [42, 84, 156], [70, 62, 52]),
    ("gold", [206, 152, 46], [38, 58, 52]),
    ("white", [214, 210, 200], [92, 40, 52]),
];

/// Returns the file.
pub(crate) fn png(shirt: Color, trousers: Color) -> Vec<u8> {
    let colors = [[198, 142, 112], [58, 40, 30], shirt, trousers, [34, 28, 26]];
    // Not filtered.
    let mut row = vec![0];
    for square in 0..SQUARES {
        let color = colors.get(square).copied().unwrap_or([128; 3]);
        row.extend(color.repeat(PIXELS));
    }
    let rows = row.repeat(PIXELS);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let [width, height] = [SQUARES * PIXELS, PIXELS].map(|side| (side as u32).to_be_bytes());
    chunk(&mut file, b"IHDR", &[&width[..], &height, &[8, 2, 0, 0, 0]].concat());
    let length = rows.len() as u16;
    let (low, high) = (length.to_le_bytes(), (!length).to_le_bytes());
    let packed = [&[0x78, 0x01, 1][..], &low, &high, &rows, &adler(&rows).to_be_bytes()].concat();
    chunk(&mut file, b"IDAT", &packed);
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let whole = [&kind[..], data].concat();
    file.extend(&whole);
    file.extend(crc(&whole).to_be_bytes());
}

fn adler(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (b + a) % 65521)
    });
    b << 16 | a
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        let one = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        (0..8).fold(crc ^ u32::from(*byte), one)
    };
    !bytes.iter().fold(u32::MAX, step)
}
