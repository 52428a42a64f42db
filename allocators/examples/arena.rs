//! A parser that keeps its tree in a frame: plain references, no unsafe code, nothing to free.
//!
//! Run it with `cargo run -p loligo-allocators --example arena`.
#![forbid(unsafe_code)]

use loligo_allocators::{AllocError, Allocator, Arena, FrameAllocator, PageAllocator};

/// A sum, a product or a number: all of it is in the frame.
enum Expression<'f> {
    Number(f64),
    Sum(&'f [Expression<'f>]),
    Product(&'f [Expression<'f>]),
}

/// Parses sums of products, such as `2 * 3 + 4`. The memory can be that of any arena.
fn parse<'f>(text: &str, memory: &'f impl Arena) -> Expression<'f> {
    Expression::Sum(memory.alloc_slice_fill_iter(text.split('+').map(|product| {
        Expression::Product(
            memory.alloc_slice_fill_iter(
                product
                    .split('*')
                    .map(|number| Expression::Number(number.trim().parse().unwrap_or(f64::NAN))),
            ),
        )
    })))
}

fn value(expression: &Expression<'_>) -> f64 {
    match expression {
        Expression::Number(number) => *number,
        Expression::Sum(parts) => parts.iter().map(value).sum(),
        Expression::Product(parts) => parts.iter().map(value).product(),
    }
}

fn main() -> Result<(), AllocError> {
    let pages = PageAllocator::new("pages");
    let mut frame = FrameAllocator::new("frame", 64 << 10, &pages)?;
    for text in ["2 * 3 + 4", "1 + 2 + 3 + 4 * 5", "0.5 * 16"] {
        let tree = frame.alloc(parse(text, &frame));
        let line = frame.format(format_args!("{text} = {}", value(tree)));
        println!("{line}");
        let stats = frame.stats();
        println!("    {} blocks of {} bytes", stats.live, stats.requested);
        // Frees all of them. A use of `tree` or `line` after this line does not compile.
        frame.reset();
    }
    assert_eq!(frame.stats().live, 0, "nothing is left");
    Ok(())
}
