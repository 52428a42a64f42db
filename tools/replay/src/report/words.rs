//! Numbers in sentences.

/// Returns a number with its digits in groups: `12,345`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a count with its word: `1 event`, `12,345 events`.
pub(super) fn plural(count: usize, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {word}{ending}", grouped(count))
}

/// Returns a number of bytes in the greatest unit in which it is whole: `1,536 B`, `2 KiB`.
pub(super) fn bytes(mut bytes: usize) -> String {
    let mut units = ["KiB", "MiB", "GiB"].into_iter();
    let mut unit = "B";
    while bytes != 0 && bytes.is_multiple_of(1024) {
        let Some(next) = units.next() else { break };
        unit = next;
        bytes /= 1024;
    }
    format!("{} {unit}", grouped(bytes))
}

#[cfg(test)]
mod tests;
