//! Small pictures: PNG without compression, so that no library is needed to write them.

use super::random::mixed;

/// Pixels of a side.
const SIDE: u32 = 16;

/// Returns a picture of noise.
pub(super) fn png(number: u64, seed: u64) -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..SIDE {
        // Each row begins with its filter: none.
        rows.push(0);
        for x in 0..SIDE {
            let color = mixed(seed ^ number, u64::from(y * SIDE + x)).to_le_bytes();
            rows.extend_from_slice(&color[..3]);
        }
    }
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = [SIDE.to_be_bytes(), SIDE.to_be_bytes()].concat();
    // Eight bits a channel, red, green and blue, and the only methods that there are.
    head.extend_from_slice(&[8, 2, 0, 0, 0]);
    chunk(&mut bytes, *b"IHDR", &head);
    chunk(&mut bytes, *b"IDAT", &stored(&rows));
    chunk(&mut bytes, *b"IEND", &[]);
    bytes
}

fn chunk(bytes: &mut Vec<u8>, name: [u8; 4], body: &[u8]) {
    bytes.extend_from_slice(&(body.len() as u32).to_be_bytes());
    let start = bytes.len();
    bytes.extend_from_slice(&name);
    bytes.extend_from_slice(body);
    let sum = crc32(&bytes[start..]);
    bytes.extend_from_slice(&sum.to_be_bytes());
}

/// Returns bytes as a zlib stream of one stored block, which has at most 65 535 of them.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16;
    let mut stream = vec![0x78, 0x01, 1];
    stream.extend_from_slice(&length.to_le_bytes());
    stream.extend_from_slice(&(!length).to_le_bytes());
    stream.extend_from_slice(bytes);
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    stream.extend_from_slice(&(b << 16 | a).to_be_bytes());
    stream
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_sum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926, "the check value of CRC-32");
    }
}
