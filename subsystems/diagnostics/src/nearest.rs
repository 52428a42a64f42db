//! Which word was meant.

/// How many letters a word that was meant may differ in.
const NEAR: usize = 2;

/// The most bytes of a word that is compared; longer ones are like no other.
const BYTES_MAX: usize = 64;

/// Returns the one of `known` that was probably meant by an unknown word: the one that differs from
/// it in the fewest letters, in two at most. Of several the first.
///
/// # Complexity
///
/// O(words * letters of both). Allocates nothing.
///
/// # Examples
///
/// ```
/// use loligo_diagnostics::nearest;
///
/// assert_eq!(nearest("imge", ["image", "wrap"]), Some("image"));
/// assert_eq!(nearest("color", ["image", "wrap"]), None);
/// ```
pub fn nearest<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let counted = known.into_iter().map(|other| (difference(word, other), other));
    let (count, other) = counted.min_by_key(|(count, _)| *count)?;
    (count <= NEAR).then_some(other)
}

/// Counts the letters that are to be changed, put in or taken out to make one word of another.
fn difference(a: &str, b: &str) -> usize {
    if a.len().max(b.len()) > BYTES_MAX || a.len().abs_diff(b.len()) > NEAR {
        return usize::MAX;
    }
    let mut row: [usize; BYTES_MAX + 1] = core::array::from_fn(|at| at);
    for (at, from) in a.bytes().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], at + 1);
        for (place, to) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted() {
        for (a, b, count) in [
            ("", "", 0),
            ("", "ab", 2),
            ("stone", "stone", 0),
            ("stone", "stne", 1),
            ("stone", "stonne", 1),
            ("stone", "shore", 2),
            ("stone", "notes", 4),
        ] {
            assert_eq!(difference(a, b), count, "{a} and {b}");
            assert_eq!(difference(b, a), count, "{b} and {a}");
        }
    }

    #[test]
    fn words_of_any_length_are_taken() {
        let long = "a".repeat(BYTES_MAX + 1);
        assert_eq!(nearest(&long, [&*long]), None, "too long to be compared");
        let most = "a".repeat(BYTES_MAX);
        assert_eq!(nearest(&most[1..], ["b", &*most]), Some(&*most), "the longest");
        assert_eq!(nearest("a", []), None, "there is none");
        assert_eq!(nearest("ac", ["ab", "ad"]), Some("ab"), "the first of two");
    }
}
