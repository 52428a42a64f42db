//! Untrusted bytecode: which words and saved bytes are refused, and with which error.

use loligo_containers::Array;
use loligo_expressions::{
    Bytecode, BytecodeErrorKind, DEPTH_MAX, Expression, Function, ImageError, Symbols, WORDS_MAX,
};

use crate::memory::with_memory;
use crate::model::SYMBOLS;

const FLOAT: u32 = 0x0100_0000;
const X: u32 = 0x0200_0000;
const ADD: u32 = 0x4000_0000;

#[test]
fn words_that_could_do_harm_are_refused() {
    use BytecodeErrorKind::{
        BehindEnd, Deep, FloatMissing, Function, Left, Long, NoEnd, Operation, Underflow, Variable,
    };
    let deep: Vec<u32> = [vec![X; DEPTH_MAX + 1], vec![ADD; DEPTH_MAX], vec![0]].concat();
    let cases: [(&[u32], usize, BytecodeErrorKind); 16] = [
        (&[], 0, NoEnd),
        (&[X], 1, NoEnd),
        (&[0], 0, Left(0)),
        (&[X, X, 0], 2, Left(2)),
        (&[X, 0, 0], 2, BehindEnd),
        (&[X + 4, 0], 0, Variable { index: 4, known: 4 }),
        (&[X, 0x8000_0004, 0], 1, Variable { index: 4, known: 4 }),
        (&[0x0300_0009, 0], 0, Function { index: 9, known: 4 }),
        (&[X, 0x0300_0001, 0], 1, Underflow { found: 1, expected: 4 }),
        (&[ADD, 0], 0, Underflow { found: 0, expected: 2 }),
        (&[0x1a00_0000, 0], 0, Underflow { found: 0, expected: 1 }),
        (&[X, FLOAT], 1, FloatMissing),
        (&[X, 0x1a00_0001, 0], 1, Operation(0x1a00_0001)),
        (&[X, 0x3f00_0000, 0], 1, Operation(0x3f00_0000)),
        (&[X, 0xffff_ffff, 0], 1, Operation(0xffff_ffff)),
        (&deep, DEPTH_MAX, Deep),
    ];
    for (words, word, kind) in cases {
        let error = Bytecode::verify(words, &SYMBOLS).expect_err("the bytecode is invalid");
        assert_eq!((error.word, error.kind), (word, kind), "{words:x?}: {error}");
    }
    let long = vec![X; WORDS_MAX + 1];
    let error = Bytecode::verify(&long, &SYMBOLS).expect_err("the bytecode is too long");
    assert_eq!(error.kind, Long);
}

#[test]
fn the_deepest_stack_runs() {
    let words: Vec<u32> = [vec![X; DEPTH_MAX], vec![ADD; DEPTH_MAX - 1], vec![0]].concat();
    let bytecode = Bytecode::verify(&words, &SYMBOLS).expect("the bytecode is valid");
    assert_eq!(bytecode.depth(), DEPTH_MAX);
    assert_eq!(bytecode.run(&[0.5]), 32.0);
}

#[test]
fn saved_bytes_are_not_believed() {
    with_memory(|memory| {
        let expression: Expression<'_> =
            Expression::try_compile_in("x + half(y) ^ 2", &SYMBOLS, memory).expect("it is right");
        let mut bytes: Array<'_, u8> = Array::new_in(memory);
        expression.bytecode().try_save(&SYMBOLS, &mut bytes).expect("there is memory");
        let load = |bytes: &[u8], symbols: &Symbols<'static>| {
            let loaded: Result<Expression<'_>, _> = Expression::try_load_in(bytes, symbols, memory);
            loaded.map(|loaded| loaded.run(&[1.0, 4.0, 0.0, 0.0]))
        };
        assert_eq!(load(&bytes, &SYMBOLS), Ok(5.0));
        for cut in 0..bytes.len() {
            assert!(load(&bytes[..cut], &SYMBOLS).is_err(), "only the first {cut} bytes");
        }
        // With one byte changed, loading is refused or the bytecode runs. A change in the first 8
        // bytes is always refused.
        for at in 0..bytes.len() {
            for to in 0..=255 {
                let mut damaged = bytes.to_vec();
                damaged[at] = to;
                let is_head = at < 8 && to != bytes[at];
                assert!(load(&damaged, &SYMBOLS).is_err() || !is_head, "byte {at} set to {to}");
            }
        }
        let other = Symbols { variables: &["y", "x", "zoom.level", "t_2"], ..SYMBOLS };
        assert!(matches!(load(&bytes, &other), Err(ImageError::Names { .. })), "other names");
        static FEWER: [Function<'static>; 1] = [Function::new("half", 2, |a| a[0])];
        let other = Symbols { functions: &FEWER, ..SYMBOLS };
        assert!(matches!(load(&bytes, &other), Err(ImageError::Names { .. })), "other arguments");
    });
}
