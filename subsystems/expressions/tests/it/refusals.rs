//! Memory that runs out, at every point.

use loligo_containers::Array;
use loligo_expressions::{
    BatchStack, CompileErrorKind, Expression, ImageError, Input, LANES, Symbols,
};

use crate::memory::every_refusal;

const SYMBOLS: Symbols<'static> =
    Symbols { variables: &["x", "y"], constants: &[], functions: &[] };

/// Needs every array that compiling has, and each more than once.
const SOURCE: &str = "clamp(x, (y - (x ^ (2 * (1 - (x / (y + (x < 1 ? sin(y) : -x ^ y))))))), \
    x * y - x / y) + smoothstep(x, y, sqrt(x * x + y * y)) * (x + y) * (x - y)";

#[derive(Debug)]
enum Refused {
    Compile,
    Image(#[expect(dead_code, reason = "it is shown")] ImageError),
    Grow,
}

#[test]
fn every_refusal_is_survived() {
    let count = every_refusal(|memory| {
        let expression: Expression<'_> = Expression::try_compile_in(SOURCE, &SYMBOLS, memory)
            .map_err(|error| {
                assert!(matches!(error.kind, CompileErrorKind::Memory(_)), "{error}");
                Refused::Compile
            })?;
        let mut bytes: Array<'_, u8> = Array::new_in(memory);
        expression.bytecode().try_save(&SYMBOLS, &mut bytes).map_err(|_| Refused::Grow)?;
        let loaded: Expression<'_> =
            Expression::try_load_in(&bytes, &SYMBOLS, memory).map_err(Refused::Image)?;
        let printed = loaded.try_to_source(&SYMBOLS).map_err(|_| Refused::Grow)?;
        assert!(!printed.is_empty(), "it was written");
        let mut stack: BatchStack<'_> =
            BatchStack::try_new_in(expression.bytecode().depth(), memory)
                .map_err(|_| Refused::Grow)?;
        let mut results = [0.0_f32; LANES + 1];
        expression.run_batch(&[Input::Same(0.5), Input::Same(2.0)], &mut results, &mut stack);
        assert_eq!(results[LANES].to_bits(), loaded.run(&[0.5, 2.0]).to_bits());
        Ok::<(), Refused>(())
    });
    assert!(count >= 20, "only {count} requests were refused");
}
