//! What sources mean, case by case.

use loligo_expressions::{Expression, Function, Symbols};

use crate::memory::with_memory;

fn value(source: &str) -> f32 {
    let symbols = Symbols { variables: &["x", "a.b"], ..Symbols::default() };
    with_memory(|memory| {
        let compiled: Expression<'_> = Expression::try_compile_in(source, &symbols, memory)
            .unwrap_or_else(|error| panic!("{error}"));
        compiled.run(&[3.0, 0.5])
    })
}

#[test]
fn operators_bind_as_they_are_written() {
    let cases = [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("100 / 5 / 2", 10.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("2 ^ -x ^ 2", 1.0 / 512.0),
        ("-x * 2", -6.0),
        ("--x", 3.0),
        ("!0 + !x", 1.0),
        ("7 % 4", 3.0),
        ("-7 % 4", -3.0),
        ("1 < 2", 1.0),
        ("x >= 3 && x != 4 || 0", 1.0),
        ("1 + 1 == 2", 1.0),
        ("x > 2 ? 10 : 20", 10.0),
        ("x < 2 ? 10 : x < 5 ? 20 : 30", 20.0),
        ("1 ? 0 ? 1 : 2 : 3", 2.0),
        ("(x < 2 ? 1 : 2) + 1", 3.0),
        ("x < 2 ? 1 : 2 + 1", 3.0),
        ("a.b * x", 1.5),
        (".5+1e-1", 0.6),
        ("min(x, 1) + max(x, 1)", 4.0),
        ("clamp(x, 0, 1)", 1.0),
        ("clamp(0 / 0, 0, 1)", 0.0),
        ("clamp(x, a.b, a.b + 1)", 1.5),
        ("lerp(10, 20, a.b)", 15.0),
        ("step(3, x) + step(4, x)", 1.0),
        ("smoothstep(2, 4, x)", 0.5),
        ("atan2(0, 1) + pow(x, 2)", 9.0),
        ("floor(-1.5) + fract(1.25)", -1.75),
    ];
    for (source, right) in cases {
        assert_eq!(value(source), right, "{source}");
    }
}

#[test]
fn own_names_go_before_built_in_ones() {
    let functions = [Function::new("sin", 1, |a| a[0] + 100.0)];
    let symbols = Symbols { variables: &["e"], constants: &[("pi", 3.0)], functions: &functions };
    with_memory(|memory| {
        let own: Expression<'_> =
            Expression::try_compile_in("sin(e) + pi", &symbols, memory).expect("it is right");
        assert_eq!(own.run(&[1.0]), 104.0);
    });
}

#[test]
fn deep_and_long_sources_are_no_trouble() {
    let nested = format!("{}x{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(value(&nested), 3.0);
    assert_eq!(value(&format!("{}x", "-".repeat(4_000))), 3.0);
    // Each sum waits for the next one, and still one value at a time is on the stack.
    let sums = format!("{}x{}", "(1 + ".repeat(2_000), ")".repeat(2_000));
    assert_eq!(value(&sums), 2_003.0);
    assert_eq!(value(&vec!["x"; 2_000].join(" ^ ")), f32::INFINITY);
    // Condition and first value wait for the second one.
    let choices = format!("{}x", "x < 0 ? 1 : ".repeat(30));
    assert_eq!(value(&choices), 3.0);
}

/// Found by the fuzz target `expressions`: a power of 1 is its base, so it is a leaf if that is one;
/// and a power of -1 is a quotient of leaves if its base is one.
#[test]
fn powers_that_are_no_powers_are_printed_as_they_compile() {
    let symbols = Symbols { variables: &["x", "y"], ..Symbols::default() };
    let sources = [
        "x < x ^ x ^ 1",
        "x ^ 1",
        "y - x ^ 1",
        "(x + y) ^ 1 * y",
        "x ^ -1",
        "y - x ^ -1",
        "(x + y) ^ -1",
        "x ^ -1 ^ y",
        "(x ^ -1) ^ -1",
    ];
    with_memory(|memory| {
        for source in sources {
            let compile = |source: &str| -> Expression<'_> {
                Expression::try_compile_in(source, &symbols, memory)
                    .unwrap_or_else(|error| panic!("{error}"))
            };
            let first = compile(source);
            let printed = first.try_to_source(&symbols).expect("there is memory").to_vec();
            let printed = String::from_utf8(printed).expect("it is text");
            let again = compile(&printed);
            assert_eq!(
                first.bytecode().words(),
                again.bytecode().words(),
                "{source} -> {printed}\n{}\n{}",
                first.bytecode(),
                again.bytecode()
            );
        }
    });
}

#[test]
#[should_panic(expected = "1 values were given for 2 variables")]
fn too_few_values_are_a_broken_contract() {
    let symbols = Symbols { variables: &["x", "y"], ..Symbols::default() };
    with_memory(|memory| {
        let sum: Expression<'_> =
            Expression::try_compile_in("x + y", &symbols, memory).expect("it is right");
        sum.run(&[1.0])
    });
}
