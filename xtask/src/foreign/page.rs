//! The page of what passed and what did not, with the reasons.

use super::list::{Class, List};
use super::peer::Peer;

/// Where it is.
pub(super) const PATH: &str = "docs/evidence/foreign-tests.md";

const HEAD: &str = "\
# Peers' own tests over our types

Written by `cargo xtask foreign --write`. The tests of each peer are fetched from crates.io and compiled unchanged
against an adapter that has the peer's public API, implemented by calls of ours (`tests/foreign`). Unit tests and
programs of tests count, and for bumpalo and allocator-api2, whose packages have few or none, the examples of the
documentation, among them those that only compile or must not. Files that are left out are named below and not counted.
Our hash maps refer to hashbrown for all that does not grow, so its tests run much of its code, in our memory.

- *passed*: the test passes.
- *other semantics*: it is compiled or not, and asks for what ours does otherwise on purpose.
- *private*: it is of a private part of the peer, which has no counterpart.
- *not expressible*: ours has no means to do it.

The run fails if a test is not in the class that is listed. Each adapter is also run with a planted fault, which a test
must notice.

";

/// Returns the page of these peers, with how many tests of each passed.
pub(super) fn text(peers: &[(&Peer, usize, List)]) -> String {
    let mut text = HEAD.to_owned();
    text.push_str("| peer | passed | other semantics | private | not expressible |\n");
    text.push_str("|---|---|---|---|---|\n");
    let mut sums = [0; 4];
    for (peer, passed, list) in peers {
        let [other, private, missing] =
            [Class::Other, Class::Private, Class::NotExpressible].map(|class| list.count(class));
        let counts = [*passed, other, private, missing];
        text.push_str(&format!("| {} {} |{}\n", peer.name, peer.version, cells(counts)));
        sums = core::array::from_fn(|at| sums[at] + counts[at]);
    }
    text.push_str(&format!("| all |{}\n", cells(sums)));
    for (peer, _, list) in peers {
        section(&mut text, peer, list);
    }
    text
}

fn cells(counts: [usize; 4]) -> String {
    counts.iter().map(|count| format!(" {count} |")).collect()
}

fn section(text: &mut String, peer: &Peer, list: &List) {
    if list.entries.is_empty() && peer.left_out.is_empty() {
        return;
    }
    text.push_str(&format!("\n## {}\n", peer.name));
    if !list.entries.is_empty() {
        text.push_str("\n| test | class | reason |\n|---|---|---|\n");
        let mut entries: Vec<_> = list.entries.iter().collect();
        entries.sort_by_key(|entry| (entry.class, &entry.test));
        for entry in entries {
            let (test, class) = (&entry.test, entry.class.name());
            text.push_str(&format!("| `{test}` | {class} | {} |\n", entry.reason));
        }
    }
    if !peer.left_out.is_empty() {
        text.push_str("\nLeft out:\n\n");
        for (file, reason) in peer.left_out {
            text.push_str(&format!("- `{file}`: {reason}\n"));
        }
    }
}
