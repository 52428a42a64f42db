//! The table of `docs/evidence/arrays-of-arrays.md`: the forms of an array of arrays compared with
//! each other, for rows of several lengths.
//!
//! ```sh
//! cargo run --profile measured -p loligo-benches --bin array_forms            # 100 000 rows
//! cargo run --profile measured -p loligo-benches --bin array_forms -- 1000    # this number
//! ```
//!
//! Forms take turns, round by round, and the median counts, as on the scoreboard.

use crate::contender::{Contender, interleave};
use crate::work::containers::arrays::{
    Arrays, Fixed, Lens, Linked, Lists, Vectors, filled, push_pop, scattered, walk,
};

/// Rounds that count.
const ROUNDS: u32 = 9;

/// The columns.
const COLUMNS: [&str; 5] = ["form", "append ns", "push, pop ns", "walk ns a row", "bytes a row"];

/// A form on one kind of rows: its columns' contenders, and its bytes.
struct Form {
    name: String,
    /// Whether only what is read and counted differs from the form before it.
    is_rest: bool,
    timed: [Contender; 3],
    bytes: usize,
}

/// Measures the forms with `rows` rows and prints a table for each kind of rows.
pub fn print(rows: u32) {
    println!("{rows} rows of `u32`; {ROUNDS} rounds, medians\n");
    scene::<2>("0 to 2 elements, all lengths as likely", Lens::up_to(2, rows));
    scene::<8>("0 to 8 elements, all lengths as likely", Lens::up_to(8, rows));
    scene::<8>("6 to 8 elements", Lens { least: 6, ..Lens::up_to(8, rows) });
    scene::<64>(
        "0 to 3 elements, one row of 64 has 16 to 64",
        Lens { long: 64, ..Lens::up_to(3, rows) },
    );
    scene::<64>("0 to 64 elements, all lengths as likely", Lens::up_to(64, rows));
}

/// Measures rows of one kind, of at most `MOST` elements.
fn scene<const MOST: usize>(title: &str, lens: Lens) {
    let mut forms = [
        form::<Arrays>("ArrayOfArrays", lens, |_| ()),
        Form { is_rest: true, ..form::<Arrays>("the same, compacted", lens, Arrays::compact) },
        form::<Fixed<MOST>>(&format!("FixedRows, {MOST}"), lens, |_| ()),
        form::<Linked<1>>("LinkedRows, 1 a node", lens, |_| ()),
        form::<Linked<4>>("LinkedRows, 4 a node", lens, |_| ()),
        form::<Linked<8>>("LinkedRows, 8 a node", lens, |_| ()),
        form::<Vectors>("Vec<Vec>", lens, |_| ()),
    ];
    let columns: [Vec<f64>; 3] = core::array::from_fn(|column| {
        let mut turns: Vec<&mut Contender> =
            forms.iter_mut().map(|form| &mut form.timed[column]).collect();
        interleave(&mut turns, ROUNDS).into_iter().map(median).collect()
    });
    let [appends, mixes, walks] = columns;
    println!("### {title}\n\n| {} |\n|---|---|---|---|---|", COLUMNS.join(" | "));
    for (((form, append), mix), walk) in forms.iter().zip(appends).zip(mixes).zip(walks) {
        let bytes = form.bytes as f64 / f64::from(lens.rows);
        if form.is_rest {
            println!("| {} | | | {walk:.1} | {bytes:.0} |", form.name);
        } else {
            println!("| {} | {append:.1} | {mix:.1} | {walk:.1} | {bytes:.0} |", form.name);
        }
    }
    println!();
}

/// Returns the median of some figures.
fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Makes a form at work on rows of one kind; `change` is done to what is read, and to what is
/// counted.
fn form<L: Lists + 'static>(name: &str, lens: Lens, change: fn(&mut L)) -> Form {
    let (mut read, _) = filled::<L>(lens);
    change(&mut read);
    let bytes = read.bytes();
    let timed = [
        scattered::<L>("append", lens),
        push_pop::<L>("push and pop", lens),
        walk("walk", lens.rows, read, L::sum),
    ];
    Form { name: name.to_owned(), is_rest: false, timed, bytes }
}
