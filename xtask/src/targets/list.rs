//! The machines and systems that the crates are tried on, and what is left out there.

use super::program::Program;
use super::{Runner, Target, Tests, Trial, wine};

/// The machine with addresses of 32 bits.
pub(crate) const NARROW: Target = Target {
    name: "i686-unknown-linux-gnu",
    trial: Trial::Tests(Tests {
        program: Program::Elf { bits: 32, is_big_endian: false },
        linker: Some(("i686-linux-gnu-gcc", &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"])),
        runner: Runner::Here,
        left_out: &[],
    }),
};

/// What the emulator of other machines does not do.
const NOT_EMULATED: &[(&str, &str)] = &[
    ("every_alignment_up_to_a_terabyte", "the emulator has a table for each page of it"),
    ("a_terabyte_costs_next_to_nothing", "as above"),
    ("is_advised_if_asked", "the emulator hears no advice on pages"),
    ("huge_pages_are_aligned_and_asked_for", "as above"),
    ("a_commit_that_fails_half_way_is_undone", "limits of memory are the emulator's own"),
    ("address_space_runs_out_at_every_page", "as above"),
    ("commits_up_to_the_limit_of_mappings", "as above"),
    ("what_is_freed_is_unmapped", "the list of mappings is the emulator's own"),
];

/// The machine whose highest byte comes first.
const BIG_ENDIAN: Target = Target {
    name: "s390x-unknown-linux-gnu",
    trial: Trial::Tests(Tests {
        program: Program::Elf { bits: 64, is_big_endian: true },
        linker: Some(("s390x-linux-gnu-gcc", &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"])),
        runner: Runner::Emulator(("qemu-s390x", &["qemu-user"])),
        left_out: NOT_EMULATED,
    }),
};

/// The machine of phones and newer Macs, whose memory model is weaker.
const ARM: Target = Target {
    name: "aarch64-unknown-linux-gnu",
    trial: Trial::Tests(Tests {
        program: Program::Elf { bits: 64, is_big_endian: false },
        linker: Some((
            "aarch64-linux-gnu-gcc",
            &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        )),
        runner: Runner::Emulator(("qemu-aarch64", &["qemu-user"])),
        left_out: NOT_EMULATED,
    }),
};

/// The system with other calls for pages.
const WINDOWS: Target = Target {
    name: "x86_64-pc-windows-gnu",
    trial: Trial::Tests(Tests {
        program: Program::Windows,
        linker: Some((wine::LINKER, &["gcc-mingw-w64-x86-64"])),
        runner: Runner::Wine((wine::WINE, &["wine64"])),
        left_out: &[],
    }),
};

/// The machine of browsers, with files and a clock.
const WASI: Target = Target {
    name: "wasm32-wasip1",
    trial: Trial::Tests(Tests {
        program: Program::WebAssembly,
        linker: None,
        runner: Runner::Node(("node", &["nodejs"])),
        left_out: &[],
    }),
};

const MACOS: Target =
    Target { name: "aarch64-apple-darwin", trial: Trial::Compiled { library: "std" } };

/// The same without any system.
const WEB: Target =
    Target { name: "wasm32-unknown-unknown", trial: Trial::Compiled { library: "std" } };

/// A machine without an operating system, 32 bits and no atomics of 64.
const BARE: Target =
    Target { name: "thumbv7em-none-eabihf", trial: Trial::Compiled { library: "core" } };

pub(super) const TARGETS: [&Target; 8] =
    [&NARROW, &BIG_ENDIAN, &ARM, &WINDOWS, &WASI, &MACOS, &WEB, &BARE];

/// Those that are tried where none is named.
pub(super) const DEFAULT: [&Target; 2] = [&NARROW, &BIG_ENDIAN];
