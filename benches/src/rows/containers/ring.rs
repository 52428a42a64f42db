//! The ring compared with std's deque. The aims are our own: the table of figures names none for
//! it.
//!
//! - `push-pop`: an element in at the back and one out at the front, of a queue of 1 000.
//! - `write-read`: 100 elements in and 100 out, in slices. An operation is an element.
//! - `walk`: a loop over 10 000 elements that are in two pieces.
//! - `grow100k`: 100 000 pushes from nothing.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::ring::{Deque, OurRing, grow, push_pop, walk, write_read};

/// Returns the rows of rings.
pub(super) fn rows() -> Vec<Row> {
    vec![
        row("push-pop", push_popped),
        row("write-read", written_and_read),
        row("walk", walked),
        row("grow100k", grown),
    ]
}

fn row(name: &str, made: fn() -> Race) -> Row {
    let aim = Aim::over_peer(1.05, 0.9);
    Row::new(format!("containers/ring/{name}"), Unit::Ns, aim, Measure::Race(made))
}

fn push_popped() -> Race {
    let peers = vec![push_pop::<Deque>("VecDeque")];
    Race { ours: push_pop::<OurRing>("Ring"), peers, absent: Vec::new() }
}

fn written_and_read() -> Race {
    let peers = vec![write_read::<Deque>("VecDeque")];
    Race { ours: write_read::<OurRing>("Ring"), peers, absent: Vec::new() }
}

fn walked() -> Race {
    let peers = vec![walk::<Deque>("VecDeque")];
    Race { ours: walk::<OurRing>("Ring"), peers, absent: Vec::new() }
}

fn grown() -> Race {
    let peers = vec![grow::<Deque>("VecDeque")];
    Race { ours: grow::<OurRing>("Ring"), peers, absent: Vec::new() }
}
