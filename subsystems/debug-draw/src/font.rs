//! A font of strokes, for texts that are drawn with lines.
//!
//! It was drawn for this crate, on a grid of 4 by 8 units, and is under the crate's licence. The
//! vector fonts of A. V. Hershey (1967) are finer; a letter of them has twice the strokes.

/// How far a letter is from the next, and a line from the next, in units of the grid.
const ADVANCE: i32 = 6;
const LINE: i32 = 11;

/// The height of a capital letter, in units of the grid.
pub(crate) const CAPITAL: i32 = 6;

/// The line of the grid that letters are on; the tails of some are below.
const BASE: i32 = 2;

/// What is drawn for a letter that the font does not have.
const UNKNOWN: &str = "0208484202";

/// The strokes of the letters from `!` to `~`: words of points, a digit from the left edge and one
/// from the lower edge each.
#[rustfmt::skip]
const LETTERS: [&str; 94] = [
    "2824 2322", "1816 3836", "1218 3238 0444 0646", "4717061535443303 2822",
    "0248 0818170708 3343423233", "4216172837360403122244", "2826", "38272332",
    "18272312", "2723 0644 0446", "2723 0545", "2311",
    "0545", "2322", "0248", "120307183847433212 0347",
    "172822", "07183847460242", "084826364543321203", "32380444",
    "480805354443321203", "4738180703123243443505", "084812", "15060718384746351504031232434435",
    "0312324347381807061545", "2625 2322", "2625 2311", "470543",
    "0646 0444", "074503", "07183847462524 2322", "3424152636344447381807031242",
    "0206284642 0444", "02083847463505 3544433202", "4738180703123243", "02082846442202",
    "48080242 0535", "480802 0535", "47381807031232434525", "0208 4248 0545",
    "1838 1232 2822", "4843321203", "0208 480542", "080242",
    "0208254842", "02084248", "120307183847433212", "02083847463505",
    "120307183847433212 2442", "02083847463505 2542", "473818070615354443321203", "0848 2822",
    "080312324348", "082248", "0802254248", "0248 0842",
    "082548 2522", "08480242", "38282232", "0842",
    "18282212", "062846", "0141", "1827",
    "46160503123243 4642", "08023243453606", "461605031242", "48421203051646",
    "044445361605031242", "38281712 0636", "421203051646413000", "0802 06364542",
    "2622 2827", "36312010 3837", "0802 360442", "18282332",
    "0206162522 25364542", "0206364542", "120305163645433212", "00063645433202",
    "40461605031242", "0602 042646", "461605433202", "18132232 0636",
    "06031242 4642", "062246", "0612253246", "0246 0642",
    "0622 4610", "06460242", "38272615242332", "2820",
    "18272635242312", "05163445",
];

/// Where a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// At the upper end of the capital letters of its first line, and at its left edge.
    UpperLeft,
    /// Below its last line, in the middle of each.
    LowerMiddle,
}

/// Calls `each` with the ends of the strokes of a text, in units of the grid from where it begins,
/// up and to the right.
pub(crate) fn strokes(text: &str, anchor: Anchor, each: &mut dyn FnMut([i32; 2], [i32; 2])) {
    let below = text.split('\n').count() as i32 - 1;
    for (number, line) in (0..).zip(text.split('\n')) {
        let width = line.chars().count() as i32 * ADVANCE - (ADVANCE - 4);
        let (left, top) = match anchor {
            Anchor::UpperLeft => (0, -CAPITAL),
            Anchor::LowerMiddle => (-width / 2, below * LINE),
        };
        for (column, letter) in (0..).zip(line.chars()) {
            let (x, y) = (left + column * ADVANCE, top - number * LINE - BASE);
            for stroke in strokes_of(letter).split(' ') {
                let point = |pair: &[u8]| {
                    let [across, up] = [pair[0], pair[1]].map(|digit| i32::from(digit - b'0'));
                    [x + across, y + up]
                };
                let points = stroke.as_bytes().chunks_exact(2).map(point);
                points.clone().zip(points.skip(1)).for_each(|(from, to)| each(from, to));
            }
        }
    }
}

/// Returns the strokes of a letter.
fn strokes_of(letter: char) -> &'static str {
    match letter {
        ' ' => "",
        '!'..='~' => LETTERS[letter as usize - '!' as usize],
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests;
