//! Programs on a pool of lists beside vectors, with a share of the requests for memory refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::limited;
use loligo_tests::programs::{ListPoolOp, ops_from_bytes, run_list_pool};

fuzz_target!(|bytes: &[u8]| {
    let Some((&share, program)) = bytes.split_first() else { return };
    let program: Vec<ListPoolOp> = ops_from_bytes(program);
    limited::sharing(share, |memory| {
        let refused = run_list_pool(&program, memory).unwrap_or_else(|differs| panic!("{differs}"));
        assert!(share >= 128 || refused == 0, "{refused} operations were refused");
    });
});
