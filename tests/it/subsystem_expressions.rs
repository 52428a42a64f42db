//! Expressions under the suite for subsystems: compiled, loaded, printed, and run over columns.

use loligo_containers::Array;
use loligo_expressions::{BatchStack, Expression, Input, Symbols};

use crate::subsystems::conforms;

const SYMBOLS: Symbols<'_> =
    Symbols { variables: &["age", "wind"], constants: &[("gravity", 9.81)], functions: &[] };

/// One that has operators wait, for which the compiler takes memory.
const SOURCE: &str = "wind * (age + (2 ^ (age - (1 + wind * age)))) - 0.5 * gravity * (age > 1 ? age ^ 2 : sin(age))";

#[test]
fn expressions_conform() {
    conforms(|watch| {
        let compile = |memory| Expression::try_compile_in(SOURCE, &SYMBOLS, memory);
        let words = |expression: &Expression<'_>| expression.bytecode().words().to_vec();
        let mut expression = watch
            .make(compile, words)?
            .claiming(|expression| size_of_val(expression.bytecode().words()));
        let value = expression.run(&[0.5, 2.0]);
        let source = expression.call(|expression| expression.try_to_source(&SYMBOLS))?;
        let mut image = watch.make(
            |memory| Ok::<_, core::convert::Infallible>(Array::<u8>::new_in(memory)),
            |image| image.to_vec(),
        )?;
        image.call(|image| expression.bytecode().try_save(&SYMBOLS, image))?;
        let load = |memory| Expression::try_load_in(&image, &SYMBOLS, memory);
        let loaded = watch.make(load, words)?;
        assert_eq!(loaded.run(&[0.5, 2.0]), value, "what is loaded gives the same");
        let source = core::str::from_utf8(&source).expect("sources are text").to_owned();
        let again =
            watch.make(|memory| Expression::try_compile_in(&source, &SYMBOLS, memory), words)?;
        assert_eq!(again.run(&[0.5, 2.0]), value, "printed as {source}");
        Ok(())
    });
}

#[test]
fn stacks_of_batches_conform() {
    conforms(|watch| {
        let compile = |memory| Expression::try_compile_in(SOURCE, &SYMBOLS, memory);
        let expression =
            watch.make(compile, |expression: &Expression<'_>| expression.bytecode().depth())?;
        let depth = expression.bytecode().depth();
        let mut stack = watch
            .make(|memory| BatchStack::try_new_in(depth, memory), BatchStack::depth)?
            .claiming(|stack| stack.depth() * 512);
        let ages: Vec<f32> = (0..600).map(|index| 0.01 * index as f32).collect();
        let mut results = vec![0.0; ages.len()];
        let inputs = [Input::Column(&ages), Input::Same(2.0)];
        stack.change(|stack| expression.run_batch(&inputs, &mut results, stack))?;
        for (age, result) in ages.iter().zip(&results) {
            assert_eq!(expression.run(&[*age, 2.0]), *result, "at {age}");
        }
        Ok(())
    });
}
