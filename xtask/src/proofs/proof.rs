//! The steps whose verdicts are kept, and what each depends on.

/// A step that leaves a line.
#[derive(Debug)]
pub(super) struct Proof {
    /// The step of the continuous integration.
    pub(super) step: &'static str,
    /// Whose files it depends on: packages, with all that these depend on.
    pub(super) packages: &'static [&'static str],
    /// Folders and files besides.
    pub(super) paths: &'static [&'static str],
    /// Commands whose output names the versions of its tools.
    pub(super) tools: &'static [&'static [&'static str]],
}

/// The crates of tier 0.
const FOUNDATION: &[&str] = &["loligo-allocators", "loligo-ids", "loligo-containers"];

/// Those that the manifest of the fuzz targets names, which is of another workspace.
pub(super) const FUZZED: &[&str] = &[
    "loligo-allocators",
    "loligo-animation",
    "loligo-compiler",
    "loligo-containers",
    "loligo-entities",
    "loligo-expressions",
    "loligo-ids",
    "loligo-physics",
    "loligo-render",
    "loligo-replay",
    "loligo-resources",
    "loligo-sjson",
    "loligo-sound",
    "loligo-tests",
    "loligo-text",
];

const RUSTC: &[&str] = &["rustc", "-vV"];
const NIGHTLY: &[&str] = &["rustup", "run", "nightly", "rustc", "-vV"];

/// All of them.
pub(super) const PROOFS: &[Proof] = &[
    Proof { step: "features", packages: FOUNDATION, paths: &[], tools: &[RUSTC] },
    Proof {
        step: "outside",
        packages: FOUNDATION,
        paths: &["LICENSE-MIT", "xtask/outside"],
        tools: &[RUSTC],
    },
    Proof {
        step: "bare",
        packages: FOUNDATION,
        paths: &[],
        tools: &[RUSTC, &["rustup", "target", "list", "--installed"]],
    },
    Proof {
        step: "targets",
        packages: FOUNDATION,
        paths: &[],
        tools: &[
            RUSTC,
            &["apt-cache", "policy", "rustc-web"],
            &["apt-cache", "policy", "gcc-i686-linux-gnu"],
        ],
    },
    Proof {
        step: "loom",
        packages: &["loligo-allocators", "loligo-ids", "loligo-sound", "loligo-tasks"],
        paths: &[],
        tools: &[RUSTC],
    },
    Proof { step: "misuse", packages: FOUNDATION, paths: &["tests"], tools: &[RUSTC] },
    Proof {
        step: "conformance",
        packages: FOUNDATION,
        paths: &["tests", "docs/evidence/conformance.md"],
        tools: &[RUSTC],
    },
    Proof { step: "examples", packages: FOUNDATION, paths: &[], tools: &[RUSTC] },
    Proof { step: "sanitize", packages: FOUNDATION, paths: &[], tools: &[NIGHTLY] },
    Proof {
        step: "valgrind",
        packages: &["loligo-allocators"],
        paths: &[],
        tools: &[RUSTC, &["valgrind", "--version"]],
    },
    Proof {
        step: "fuzz",
        packages: FUZZED,
        paths: &["fuzz"],
        tools: &[NIGHTLY, &["c++", "--version"]],
    },
    Proof { step: "hostile", packages: &["loligo-hostile"], paths: &[], tools: &[RUSTC] },
    Proof {
        step: "sample",
        packages: &["loligo-cli"],
        paths: &["samples"],
        tools: &[RUSTC, &["apt-cache", "policy", "mesa-vulkan-drivers"]],
    },
];
