//! Expressions from any bytes: as a source, compiled or refused at a place in it; as bytecode,
//! verified or refused. What is accepted gives the same one by one as in a batch, and is printed as
//! a source of the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_allocators::Allocator;
use loligo_expressions::{Bytecode, Expression};
use loligo_fuzz::formula::{SYMBOLS, run_both};
use loligo_fuzz::limited;

fn source(source: &str, memory: &dyn Allocator) {
    let compiled: Result<Expression, _> = Expression::try_compile_in(source, &SYMBOLS, memory);
    match compiled {
        Err(error) => assert!(source.is_char_boundary(error.offset as usize), "{error}"),
        Ok(expression) => {
            run_both(&expression.bytecode(), memory);
            let printed = expression.try_to_source(&SYMBOLS).expect("there is memory").to_vec();
            let printed = String::from_utf8(printed).expect("it is text");
            let again = Expression::try_compile_in(&printed, &SYMBOLS, memory).expect("printed");
            assert_eq!(again.bytecode().words(), expression.bytecode().words(), "{printed}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| limited::within(1 << 24, |memory| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        source(text, memory);
    }
    let words: Vec<u32> =
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    if let Ok(bytecode) = Bytecode::verify(&words, &SYMBOLS) {
        run_both(&bytecode, memory);
    }
    _ = Expression::try_load_in(bytes, &SYMBOLS, memory);
}));
