//! Programs on id tables of every shape and policy beside a map, with a share of the requests refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::limited;
use loligo_tests::programs::{ID_TABLES, IdTableOp, ops_from_bytes};

fuzz_target!(|bytes: &[u8]| {
    let Some((&[share, table], program)) = bytes.split_first_chunk() else { return };
    let program: Vec<IdTableOp> = ops_from_bytes(program);
    let (name, run) = ID_TABLES[usize::from(table) % ID_TABLES.len()];
    limited::sharing(share, |memory| {
        let refused = run(&program, memory).unwrap_or_else(|differs| panic!("{name}: {differs}"));
        assert!(share >= 128 || refused == 0, "{name}: {refused} operations were refused");
    });
});
