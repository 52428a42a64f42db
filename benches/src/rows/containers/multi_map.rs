//! The multi map compared with a vector a key, and with hashbrown's table with keys more than once.
//!
//! 40 000 values, 4 a key; `remove` takes a key's first value out, `walk` visits those of a key.
//!
//! The aims are our own, set before the first run.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::multi_map::{Duplicates, OurMany, Vectors, insert, remove, walk};

const ENTRIES: u32 = 40_000;
const VALUES: u32 = 4;

/// Returns the rows of the multi map.
pub(super) fn rows() -> Vec<Row> {
    let row = |name: &str, aim, made| {
        Row::new(format!("containers/multimap/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    vec![
        row("insert/40k", Aim::over_peer(1.0, 0.9), inserting),
        row("walk/40k", Aim::over_peer(1.5, 1.0), walking),
        row("remove/40k", Aim::over_peer(1.0, 0.9), removing),
    ]
}

fn inserting() -> Race {
    Race {
        ours: insert::<OurMany>("MultiMap", ENTRIES, VALUES),
        peers: vec![
            insert::<Vectors>("hashbrown of Vec", ENTRIES, VALUES),
            insert::<Duplicates>("HashTable", ENTRIES, VALUES),
        ],
        absent: Vec::new(),
    }
}

fn walking() -> Race {
    Race {
        ours: walk::<OurMany>("MultiMap", ENTRIES, VALUES),
        peers: vec![
            walk::<Vectors>("hashbrown of Vec", ENTRIES, VALUES),
            walk::<Duplicates>("HashTable", ENTRIES, VALUES),
        ],
        absent: Vec::new(),
    }
}

fn removing() -> Race {
    Race {
        ours: remove::<OurMany>("MultiMap", ENTRIES, VALUES),
        peers: vec![
            remove::<Vectors>("hashbrown of Vec", ENTRIES, VALUES),
            remove::<Duplicates>("HashTable", ENTRIES, VALUES),
        ],
        absent: Vec::new(),
    }
}
