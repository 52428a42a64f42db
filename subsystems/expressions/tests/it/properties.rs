//! Drawn expressions: what holds for all of them.

use core::fmt::Debug;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_expressions::{BatchStack, Bytecode, Expression, Input, Symbols};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::memory::with_memory;
use crate::model::{FUNCTIONS, SYMBOLS, Tree, VARIABLES, bits, trees, values};
use crate::test_drawn;

/// The default seed of the random cases.
const SEED: u64 = 0x2011_0313;

/// The cases of each test, unless `PROPTEST_CASES` is set.
const CASES: u32 = 600;

/// Draws cases and runs each.
fn check<T: Debug>(drawn: &impl Strategy<Value = T>, run: impl Fn(T) -> Result<(), TestCaseError>) {
    test_drawn::check(test_drawn::seeded(SEED, CASES), drawn, run);
}

fn compile<'a>(
    source: &str,
    symbols: &Symbols<'a>,
    memory: &'a dyn Allocator,
) -> Result<Expression<'a>, TestCaseError> {
    let compiled = Expression::try_compile_in(source, symbols, memory);
    compiled.map_err(|error| TestCaseError::fail(error.to_string()))
}

fn row() -> impl Strategy<Value = [f32; 4]> {
    [values(), values(), values(), values()]
}

#[test]
fn what_is_parsed_and_run_is_what_the_model_gives() {
    check(&(trees(), row()), |(tree, row)| {
        let source = tree.source();
        with_memory(|memory| {
            let expression = compile(&source, &SYMBOLS, memory)?;
            let (ours, models) = (expression.run(&row), tree.value(&row));
            prop_assert_eq!(
                ours.to_bits(),
                bits(models),
                "{} gives {}, not {}",
                source,
                ours,
                models
            );
            Ok(())
        })
    });
}

#[test]
fn a_batch_gives_what_one_by_one_gives() {
    let rows = proptest::collection::vec(row(), 1..700);
    check(&(trees(), rows, 0_u8..16), |(tree, rows, same)| {
        let source = tree.source();
        with_memory(|memory| {
            let expression = compile(&source, &SYMBOLS, memory)?;
            is_same_in_batch(expression.bytecode(), &rows, same, memory)
        })
    });
}

/// Compares a batch with runs one by one. A variable whose bit is in `same` has the first row's
/// value in all rows.
fn is_same_in_batch(
    bytecode: Bytecode<'_>,
    rows: &[[f32; 4]],
    same: u8,
    memory: &dyn Allocator,
) -> Result<(), TestCaseError> {
    let is_same = |index: usize| same >> index & 1 == 1;
    let value = |row: &[f32; 4], index| if is_same(index) { rows[0][index] } else { row[index] };
    let columns: Vec<Vec<f32>> =
        (0..4).map(|index| rows.iter().map(|row| value(row, index)).collect()).collect();
    let inputs: Vec<Input<'_>> = columns
        .iter()
        .enumerate()
        .map(
            |(index, column)| {
                if is_same(index) { Input::Same(column[0]) } else { Input::Column(column) }
            },
        )
        .collect();
    let mut results = vec![0.0; rows.len()];
    let mut stack: BatchStack<'_> =
        BatchStack::try_new_in(bytecode.depth(), memory).expect("there is memory");
    bytecode.run_batch(&inputs, &mut results, &mut stack);
    for (at, (row, result)) in rows.iter().zip(&results).enumerate() {
        let row: [f32; 4] = core::array::from_fn(|index| value(row, index));
        let one = bytecode.run(&row);
        prop_assert_eq!(
            result.to_bits(),
            one.to_bits(),
            "row {}: {} in a batch, {} alone",
            at,
            result,
            one
        );
    }
    Ok(())
}

#[test]
fn folding_gives_what_running_gives() {
    check(&(trees(), row()), |(tree, row)| {
        let source = tree.source();
        let constants: Vec<(&str, f32)> = VARIABLES.iter().copied().zip(row).collect();
        let folding = Symbols { variables: &[], constants: &constants, ..SYMBOLS };
        with_memory(|memory| {
            let run = compile(&source, &SYMBOLS, memory)?.run(&row);
            let folded = compile(&source, &folding, memory)?;
            if !source.contains("height_at") {
                let constant = folded.as_constant();
                let constant = constant.ok_or_else(|| TestCaseError::fail("not constant"))?;
                prop_assert_eq!(constant.to_bits(), run.to_bits(), "{} is {}", constant, run);
            }
            prop_assert_eq!(folded.run(&[]).to_bits(), run.to_bits());
            Ok(())
        })
    });
}

#[test]
fn what_is_printed_compiles_to_the_same_words() {
    check(&trees(), |tree| {
        let source = tree.source();
        with_memory(|memory| {
            let expression = compile(&source, &SYMBOLS, memory)?;
            let printed = expression.try_to_source(&SYMBOLS).expect("there is memory").to_vec();
            let printed = String::from_utf8(printed).expect("it is text");
            let again = compile(&printed, &SYMBOLS, memory)?;
            prop_assert_eq!(
                expression.bytecode().words(),
                again.bytecode().words(),
                "{} -> {}",
                source,
                printed
            );
            Ok(())
        })
    });
}

#[test]
fn what_is_saved_is_loaded() {
    check(&trees(), |tree| {
        with_memory(|memory| {
            let expression = compile(&tree.source(), &SYMBOLS, memory)?;
            let mut bytes: Array<'_, u8> = Array::new_in(memory);
            expression.bytecode().try_save(&SYMBOLS, &mut bytes).expect("there is memory");
            let loaded: Expression<'_> =
                Expression::try_load_in(&bytes, &SYMBOLS, memory).expect("just saved");
            prop_assert_eq!(expression.bytecode().words(), loaded.bytecode().words());
            prop_assert_eq!(expression.bytecode().depth(), loaded.bytecode().depth());
            Ok(())
        })
    });
}

/// Words that mean something: drawn ones hardly ever do.
fn words() -> impl Strategy<Value = Vec<u32>> {
    let operation = prop_oneof![
        4 => Just(0x0100_0000_u32),
        6 => (0_u32..4).prop_map(|index| 0x0200_0000 | index),
        2 => (0_u32..4).prop_map(|index| 0x0300_0000 | index),
        2 => (0x10_u32..0x25).prop_map(|code| code << 24),
        1 => (0x30_u32..0x34).prop_map(|code| code << 24),
        3 => (0x40_u32..0x5a).prop_map(|code| code << 24),
        2 => (0x80_u32..0x9a, 0_u32..4).prop_map(|(code, index)| code << 24 | index),
        2 => (0xc0_u32..0xda).prop_map(|code| code << 24),
    ];
    let wrong = proptest::option::weighted(0.1, (any::<prop::sample::Index>(), any::<u32>()));
    let drawn = proptest::collection::vec((operation, any::<u32>()), 1..60);
    (drawn, wrong).prop_map(|(drawn, wrong)| {
        let mut words = Vec::new();
        let mut height = 0_usize;
        for (word, float) in drawn {
            let operation = word >> 24;
            let pops = match operation {
                1 | 2 => 0,
                3 => FUNCTIONS[word as usize & 3].arguments(),
                0x30..0x40 => 3,
                0x40..0x80 => 2,
                _ => 1,
            };
            if pops > height {
                continue;
            }
            height = height - pops + 1;
            words.push(word);
            if operation == 1 || operation >= 0xc0 {
                words.push(float);
            }
        }
        words.extend((1..height).map(|_| 0x4600_0000));
        words.push(0);
        if let Some((at, word)) = wrong {
            let at = at.index(words.len());
            words[at] = word;
        }
        words
    })
}

#[test]
fn words_from_anywhere_are_refused_or_run() {
    let accepted = core::cell::Cell::new(0);
    let rows = proptest::collection::vec(row(), 1..300);
    check(&(words(), rows), |(words, rows)| {
        let Ok(bytecode) = Bytecode::verify(&words, &SYMBOLS) else { return Ok(()) };
        accepted.set(accepted.get() + 1);
        with_memory(|memory| {
            is_same_in_batch(bytecode, &rows, 0b0101, memory)?;
            let copy: Expression<'_> =
                Expression::try_from_bytecode_in(bytecode, memory).expect("there is memory");
            let printed = copy.try_to_source(&SYMBOLS).expect("there is memory");
            let printed = core::str::from_utf8(&printed).expect("it is text");
            let compiled = compile(printed, &SYMBOLS, memory)?;
            let (ours, theirs) = (compiled.run(&rows[0]), bytecode.run(&rows[0]));
            prop_assert_eq!(ours.to_bits(), theirs.to_bits(), "{}", printed);
            Ok(())
        })
    });
    assert!(accepted.get() >= CASES / 2, "only {} were accepted", accepted.get());
}

#[test]
fn any_text_compiles_or_is_refused_where_it_is_wrong() {
    let pieces: Vec<&str> =
        "x y t_2 zoom.level sin min clamp height_at mix4 seven ( ) ( ) , ? : + - * / % ^ < <= == \
        != && || ! = & 1 0.5 2x 1e99 1.5e-3 é \u{1f980} \n # nothing pi"
            .split(' ')
            .collect();
    let piece = proptest::sample::select(pieces);
    let texts = prop_oneof![
        proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" ")),
        any::<String>(),
    ];
    check(&texts, |text| {
        with_memory(|memory| {
            let compiled: Result<Expression<'_>, _> =
                Expression::try_compile_in(&text, &SYMBOLS, memory);
            match compiled {
                Ok(expression) => _ = expression.run(&[1.0; 4]),
                Err(error) => {
                    let end = (error.offset + error.bytes) as usize;
                    prop_assert!(text.get(error.offset as usize..end).is_some(), "{:?}", error);
                    prop_assert!(error.to_string().lines().count() == 3, "{}", error);
                }
            }
            Ok(())
        })
    });
}

#[test]
fn the_model_is_not_the_language() {
    // What would have to be true for these tests to prove nothing: that a wrong tree gives the
    // same.
    let tree = |symbol| Tree::Infix(symbol, Box::new([Tree::Variable(0), Tree::Variable(1)]));
    assert_ne!(tree("-").value(&[1.0, 2.0, 0.0, 0.0]), tree("+").value(&[1.0, 2.0, 0.0, 0.0]));
    assert_eq!(tree("-").source(), "x - y");
}
