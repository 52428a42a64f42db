//! The peers, and where their tests are.

/// A peer.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// The one version, so that the lists do not change with what others publish.
    pub(super) version: &'static str,
    /// Source files, below `src`, whose unit tests are run.
    pub(super) units: &'static [Unit],
    /// What unit tests expect at the root of the crate, in addition to the peer's public names.
    pub(super) root: &'static str,
    /// Programs of tests, below `tests`.
    pub(super) programs: &'static [&'static str],
    /// Source files, below `src`, the examples of whose documentation are run as tests.
    pub(super) examples: &'static [&'static str],
    /// Features that tests ask for by `cfg`.
    pub(super) features: &'static [&'static str],
    /// Dependencies that only other tests need.
    pub(super) unneeded: &'static [&'static str],
    /// Dependencies that the package calls optional and its tests use.
    pub(super) added: &'static str,
    /// Files of tests that are left out, each with the reason.
    pub(super) left_out: &'static [(&'static str, &'static str)],
}

/// A source file with unit tests.
pub(super) struct Unit {
    pub(super) file: &'static str,
    /// What the tests expect in the module around theirs, in addition to the peer's public names.
    pub(super) prelude: &'static str,
    /// Whether the file is nothing but tests.
    pub(super) is_whole: bool,
}

/// All of them.
pub(super) const PEERS: &[Peer] = &[
    Peer {
        units: &[
            unit("basic.rs"),
            unit("dense.rs"),
            unit("hop.rs"),
            unit("lib.rs"),
            unit("secondary.rs"),
            unit("sparse_secondary.rs"),
        ],
        features: &["std", "serde"],
        ..peer("slotmap", "1.1.1")
    },
    Peer {
        units: &[
            unit("arena.rs"),
            Unit { prelude: "pub enum FreePointer {}", ..unit("free_pointer.rs") },
            unit("generation.rs"),
            unit("iter/drain.rs"),
            unit("iter/into_iter.rs"),
            unit("iter/iter.rs"),
            unit("iter/iter_mut.rs"),
        ],
        features: &["std"],
        ..peer("thunderdome", "0.6.1")
    },
    Peer {
        units: &[unit("lib.rs"), unit("collections/raw_vec.rs")],
        examples: &["lib.rs", "boxed.rs"],
        features: &["boxed", "collections"],
        unneeded: UNUSED_BY_BUMPALO,
        left_out: &[(
            "src/collections",
            "examples of the vector and the string in a bump; ours are those of allocator-api2 over \
             the bridge, see there",
        )],
        ..peer("bumpalo", "3.20.3")
    },
    Peer {
        programs: &["quickchecks", "serde", "tests"],
        features: &["std", "serde"],
        left_out: &[("tests/readme.rs", "it compares the peer's README with its documentation")],
        ..peer("generational-arena", "0.2.9")
    },
];

/// The package comes without the programs of tests that need these.
const UNUSED_BY_BUMPALO: &[&str] = &[
    "blink-alloc",
    "criterion",
    "quickcheck",
    "rand",
    "rayon",
    "rayon-core",
    "serde",
    "serde_json",
];

const fn peer(name: &'static str, version: &'static str) -> Peer {
    Peer {
        name,
        version,
        root: "",
        units: &[],
        programs: &[],
        examples: &[],
        features: &[],
        unneeded: &["criterion"],
        added: "",
        left_out: &[],
    }
}

const fn unit(file: &'static str) -> Unit {
    Unit { file, prelude: "", is_whole: false }
}

impl Peer {
    /// Returns the name of the library.
    pub(super) fn library(&self) -> String {
        self.name.replace('-', "_")
    }
}

impl Unit {
    /// Returns the name of the module that has the tests.
    pub(super) fn module(&self) -> String {
        self.file.trim_end_matches(".rs").replace('/', "_")
    }
}
