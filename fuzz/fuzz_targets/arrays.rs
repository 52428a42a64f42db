//! Programs on an array of arrays beside vectors, with a share of the requests for memory refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::limited;
use loligo_tests::programs::{RowOp, ops_from_bytes, run_rows};

fuzz_target!(|bytes: &[u8]| {
    let Some((&share, program)) = bytes.split_first() else { return };
    let program: Vec<RowOp> = ops_from_bytes(program);
    limited::sharing(share, |memory| {
        let refused = run_rows(&program, memory).unwrap_or_else(|differs| panic!("{differs}"));
        assert!(share >= 128 || refused == 0, "{refused} operations were refused");
    });
});
