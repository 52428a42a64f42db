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
    /// Examples that are no Rust of the edition in which the others are compiled together, and this
    /// peer's edition.
    pub(super) old: (&'static [&'static str], &'static str),
    /// Features that tests ask for by `cfg`.
    pub(super) features: &'static [&'static str],
    /// Dependencies that only other tests need.
    pub(super) unneeded: &'static [&'static str],
    /// Dependencies that the package calls optional and its tests use.
    pub(super) added: &'static str,
    /// What the crate of the peer's name has in addition to the adapter.
    pub(super) shim: &'static str,
    /// Files of tests that are left out, each with the reason.
    pub(super) left_out: &'static [(&'static str, &'static str)],
}

/// A source file with unit tests.
pub(super) struct Unit {
    pub(super) file: &'static str,
    /// What the tests expect in the module around theirs, in addition to the peer's public names.
    pub(super) prelude: &'static str,
    /// Functions of the peer that only tests of private parts call.
    pub(super) helpers: &'static [&'static str],
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
        root: "extern crate alloc as stdalloc;
            mod alloc { pub use allocator_api2::alloc::{AllocError, Allocator, Global}; }",
        units: &[
            Unit {
                prelude: "use hashbrown::hash_map::{Entry, EntryRef};
                    pub fn make_hash<Q: std::hash::Hash + ?Sized>(
                        hasher: &impl std::hash::BuildHasher,
                        key: &Q,
                    ) -> u64 {
                        hasher.hash_one(key)
                    }",
                helpers: &["get_test_map"],
                ..unit("map.rs")
            },
            unit("set.rs"),
            unit("table.rs"),
        ],
        programs: &["equivalent_trait", "hasher", "hasher_unwind", "set"],
        features: &["default-hasher", "inline-more", "equivalent"],
        unneeded: &["bumpalo", "criterion", "rayon", "serde_test"],
        added: "allocator-api2 = { version = \"0.2\", features = [\"alloc\"] }\n",
        left_out: &[
            ("src/raw.rs", "6 tests of the peer's private table"),
            ("src/raw_entry.rs", "4 tests of a feature of the peer's that ours does not turn on"),
            ("tests/serde.rs", "4 tests of a feature of the peer's that ours does not turn on"),
            (
                "tests/rayon.rs, src/external_trait_impls/rayon",
                "55 tests of a feature of the peer's that ours does not turn on",
            ),
        ],
        ..peer("hashbrown", "0.17.1")
    },
    Peer {
        programs: &["quickchecks", "serde", "tests"],
        features: &["std", "serde"],
        left_out: &[("tests/readme.rs", "it compares the peer's README with its documentation")],
        ..peer("generational-arena", "0.2.9")
    },
    Peer {
        examples: &[
            "boxed.rs",
            "lib.rs",
            "macros.rs",
            "slice.rs",
            "vec/drain.rs",
            "vec/into_iter.rs",
            "vec/mod.rs",
            "vec/splice.rs",
        ],
        old: (&["boxed_l103_module", "vec_mod_l1310_set_len"], "2018"),
        shim: "#[global_allocator]\nstatic GLOBAL: loligo_foreign::global::Heap = \
               loligo_foreign::global::heap();\n",
        ..peer("allocator-api2", "0.4.0")
    },
    Peer {
        root: "mod linked_list {}",
        units: &[Unit { is_whole: true, ..unit("test.rs") }],
        unneeded: &["criterion", "ctor", "rand", "rand_chacha"],
        left_out: &[("the examples of the documentation", "they set a global allocator each")],
        ..peer("buddy_system_allocator", "0.13.0")
    },
    Peer {
        programs: &["global"],
        unneeded: &["criterion", "env_logger", "log", "quickcheck", "quickcheck_macros"],
        left_out: &[
            (
                "src/tlsf/tests.rs",
                "12 tests in a macro, for 30 choices of the peer's numbers of lists, which ours has no \
                 parameters for",
            ),
            ("src/flex/tests.rs", "tests of the peer's sources of memory, by the same macro"),
            ("src/global/tests.rs", "tests of the peer's calls for C, by the same macro"),
        ],
        ..peer("rlsf", "0.2.3")
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
        old: (&[], ""),
        features: &[],
        unneeded: &["criterion"],
        added: "",
        shim: "",
        left_out: &[],
    }
}

const fn unit(file: &'static str) -> Unit {
    Unit { file, prelude: "", helpers: &[], is_whole: false }
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
