//! The map in sorted arrays compared with a tree and a sorted vector of pairs. The aims are our
//! own: the table of figures names none for it.
//!
//! - `lookup/SIZE`: keys that are there, in random order.
//! - `build/10k`: 10 000 entries in random order, a tenth of their keys given twice, the last one
//!   wins. An operation is an entry.
//! - `merge/10k`: 1 000 more, to those that are there.
//! - `walk/10k`: all entries in order.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::sorted::{OurMap, Pairs, Tree, build, look_up, merge, walk};

/// Returns the rows of sorted maps.
pub(super) fn rows() -> Vec<Row> {
    vec![
        row("lookup/100", looked_up::<100>),
        row("lookup/10k", looked_up::<10_000>),
        row("build/10k", built),
        row("merge/10k", merged),
        row("walk/10k", walked),
    ]
}

fn row(name: &str, made: fn() -> Race) -> Row {
    let aim = Aim::over_peer(1.0, 0.8);
    Row::new(format!("containers/sorted/{name}"), Unit::Ns, aim, Measure::Race(made))
}

fn looked_up<const LEN: u32>() -> Race {
    Race {
        ours: look_up::<OurMap, LEN>("SortedMap"),
        peers: vec![look_up::<Tree, LEN>("BTreeMap"), look_up::<Pairs, LEN>("sorted Vec")],
        absent: Vec::new(),
    }
}

fn built() -> Race {
    Race {
        ours: build::<OurMap>("SortedMap"),
        peers: vec![build::<Tree>("BTreeMap"), build::<Pairs>("sorted Vec")],
        absent: Vec::new(),
    }
}

fn merged() -> Race {
    Race {
        ours: merge::<OurMap>("SortedMap"),
        peers: vec![merge::<Tree>("BTreeMap"), merge::<Pairs>("sorted Vec")],
        absent: Vec::new(),
    }
}

fn walked() -> Race {
    Race {
        ours: walk::<OurMap>("SortedMap"),
        peers: vec![walk::<Tree>("BTreeMap"), walk::<Pairs>("sorted Vec")],
        absent: Vec::new(),
    }
}
