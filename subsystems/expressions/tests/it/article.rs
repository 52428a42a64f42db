//! The example of the article, word for word.

use loligo_expressions::{BatchStack, Expression, Input, Symbols};

use crate::memory::with_memory;

const SYMBOLS: Symbols<'static> =
    Symbols { variables: &["t", "x"], constants: &[], functions: &[] };

#[test]
fn the_example_is_seven_operations() {
    with_memory(|memory| {
        let source = "sin(t)  + 0.1 * cos(10 * t)";
        let wave: Expression<'_> =
            Expression::try_compile_in(source, &SYMBOLS, memory).expect("it is right");
        // In the article's notation: t sin 10 t* cos 0.1* +
        let golden = [
            0x0200_0000,
            0x1a00_0000,
            0x0100_0000,
            10.0_f32.to_bits(),
            0x8100_0000,
            0x1b00_0000,
            0xc100_0000,
            0.1_f32.to_bits(),
            0x4000_0000,
            0,
        ];
        assert_eq!(wave.bytecode().words(), golden, "\n{}", wave.bytecode());
        assert_eq!(
            wave.bytecode().to_string(),
            "variable 0\nsin\nfloat 10\n* variable 0\ncos\n* float 0.1\n+\nend"
        );
        assert_eq!(wave.bytecode().depth(), 2);
        assert_eq!(wave.bytecode().variables(), 1, "x is not used");
        for t in [0.0_f32, 0.5, -3.0, 20.1] {
            let right = f64::from(t).sin() + 0.1 * (10.0 * f64::from(t)).cos();
            let ours = f64::from(wave.run(&[t, 7.0]));
            assert!((ours - right).abs() < 2e-7, "{ours} for {right} at {t}");
        }
    });
}

#[test]
fn a_constant_is_folded_and_never_run() {
    with_memory(|memory| {
        let compile = |source| -> Expression<'_> {
            Expression::try_compile_in(source, &SYMBOLS, memory).expect("it is right")
        };
        let zero = compile("2*sin(pi)");
        let right = 2.0 * f64::from(core::f32::consts::PI).sin();
        assert_eq!(zero.as_constant(), Some(right as f32), "\n{}", zero.bytecode());
        assert_eq!(zero.bytecode().words().len(), 3, "push, float, end");
        assert_eq!(compile("0.5").as_constant(), Some(0.5));
        assert_eq!(compile("1 < 2 ? 3 : t").as_constant(), Some(3.0));
        assert_eq!(compile("(0 ? t : 4) + 1").as_constant(), Some(5.0));
        assert_eq!(compile("t + (2 * 3 - 6)").as_constant(), None);
    });
}

#[test]
fn a_batch_is_what_is_run_one_by_one() {
    with_memory(|memory| {
        let wave: Expression<'_> =
            Expression::try_compile_in("sin(t) + x * cos(10 * t)", &SYMBOLS, memory)
                .expect("it is right");
        let times: Vec<f32> = (0..1000).map(|step| step as f32 * 0.01).collect();
        let mut results = vec![0.0; times.len()];
        let mut stack: BatchStack<'_> =
            BatchStack::try_new_in(wave.bytecode().depth(), memory).expect("there is memory");
        let live = loligo_allocators::Allocator::stats(memory).live;
        wave.run_batch(&[Input::Column(&times), Input::Same(0.1)], &mut results, &mut stack);
        assert_eq!(
            loligo_allocators::Allocator::stats(memory).live,
            live,
            "running takes no memory"
        );
        for (time, result) in times.iter().zip(&results) {
            assert_eq!(result.to_bits(), wave.run(&[*time, 0.1]).to_bits(), "at {time}");
        }
    });
}
