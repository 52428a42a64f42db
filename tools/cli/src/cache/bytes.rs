//! Sizes on the command line and in what is printed.

/// Units, each 1024 times the one before.
const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/// Reads a size: `20GiB`, `512 MiB`, `4096`.
pub(super) fn bytes_of(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size; write it as 20GiB, 512MiB or 4096");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit = match unit.trim() {
        "" => 0,
        unit => UNITS.iter().position(|known| *known == unit).ok_or_else(wrong)?,
    };
    number.checked_mul(1 << (10 * unit)).ok_or_else(wrong)
}

/// Returns a size for a reader.
pub(super) fn shown(bytes: u64) -> String {
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >> (10 * unit) >= 10_240 {
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} bytes"),
        _ => format!("{:.1} {}", bytes as f64 / (1_u64 << (10 * unit)) as f64, UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes_of, shown};

    #[test]
    fn sizes_are_read_and_shown() {
        let read = ["4096", "4KiB", "512 MiB", "20GiB", "3TiB", "0"].map(bytes_of);
        let expected = [4096, 4096, 512 << 20, 20 << 30, 3 << 40, 0].map(Ok);
        assert_eq!(read, expected);
        for wrong in ["", "GiB", "1.5GiB", "-1", "9 parsecs", "99999999999TiB"] {
            let message = bytes_of(wrong).expect_err("it is not a size");
            assert!(message.contains("20GiB"), "{wrong}: {message}");
        }
        assert_eq!(shown(10_239), "10239 bytes");
        assert_eq!(shown(10_240), "10.0 KiB");
        assert_eq!(shown(20 << 30), "20.0 GiB");
    }
}
