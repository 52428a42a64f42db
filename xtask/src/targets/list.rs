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
    ("frees_beyond_the_limit_of_mappings", "as above"),
    ("what_is_freed_is_unmapped", "the list of mappings is the emulator's own"),
];

/// The machine whose highest byte comes first.
pub(super) const BIG_ENDIAN: Target = Target {
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

/// What WebAssembly lacks: no thread can be started, and cleaning up goes wrong where a destructor
/// panics.
const NOT_ON_WASI: &[(&str, &str)] = &[
    ("a_buddy_may_cross_threads", "it starts threads"),
    ("no_block_has_two_owners", "as above"),
    ("threads_that_grow_at_once_share_the_chunks", "as above"),
    ("counters_keep_their_order_while_threads_work", "as above"),
    ("a_nearly_full_pool_serves_as_many_threads_as_it_has_blocks", "as above"),
    ("blocks_are_freed_by_another_thread", "as above"),
    ("of_two_frees_of_a_block_one_is_told", "as above"),
    ("static_heap::tests::threads_share_it", "as above"),
    ("an_owners_free_of_a_block_that_another_freed_is_found_late", "as above"),
    ("counters_walks_and_checks_may_run_while_threads_work", "as above"),
    ("what_one_thread_allocates_another_frees_without_more_memory", "as above"),
    ("huge_blocks_belong_to_no_thread", "as above"),
    ("shared_frame::tests::threads::it_is_filled_to_its_end", "as above"),
    ("threads_have_separate_references_of_a_shared_frame", "as above"),
    ("owners_move_between_threads", "as above"),
    ("other_threads_are_not_armed", "as above"),
    ("all_threads_may_be_armed_and_some_exempted", "as above"),
    ("verdicts_agree_with_the_model", "as above"),
    ("deep_trees_need_no_stack", "as above"),
    ("a_budget_holds_while_threads_race_for_it", "as above"),
    ("a_free_by_another_thread_after_the_owners_is_found_at_once", "as above"),
    ("a_header_that_was_overwritten_is_found_when_another_thread_frees", "as above"),
    ("a_second_free_of_another_threads_block_is_found_at_once", "as above"),
    ("a_wrong_size_of_another_threads_block_is_found_at_once", "as above"),
    ("an_address_inside_another_threads_block_is_found_at_once", "as above"),
    ("a_heap_may_end_before_a_thread_that_used_it", "as above"),
    ("a_thread_that_ends_leaves_its_heap_to_the_next", "as above"),
    ("blocks_freed_after_their_thread_ended_are_no_leak", "as above"),
    ("blocks_of_another_thread_are_resized", "as above"),
    ("blocks_that_cross_threads_come_back", "as above"),
    ("sites_of_blocks_that_are_not_counted_yet_are_no_damage", "as above"),
    ("threads_at_the_same_time_have_a_heap_each", "as above"),
    ("threads_beyond_the_last_heap_share_one", "as above"),
    (
        "testing::panicking_drops",
        "a Vec as well is dropped twice or crashes where an element's destructor panics: the compiler's fault",
    ),
];

/// The machine of browsers, with files and a clock.
const WASI: Target = Target {
    name: "wasm32-wasip1",
    trial: Trial::Tests(Tests {
        program: Program::WebAssembly,
        linker: None,
        runner: Runner::Node(("node", &["nodejs"])),
        left_out: NOT_ON_WASI,
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
