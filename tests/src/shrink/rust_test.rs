//! A program as a test to paste.

use core::fmt::Debug;
use core::fmt::Write;

use crate::programs::{AllocatorOp, ModelOp};

/// The most columns of a line.
const COLUMNS: usize = 100;

/// Returns a test of a program on a container, which fails as the program does. `run` is what is
/// done with `program` and `memory`; of the share of requests that are refused see
/// [`over_heap`](crate::programs::over_heap).
pub fn model_test<O: ModelOp>(
    name: &str,
    run: &str,
    share: u8,
    program: &[O],
    why: &str,
) -> String {
    let (op, function) = (O::NAME, run.split(['(', '[']).next().unwrap_or(O::RUN));
    let import = format!("use loligo_tests::programs::{{{op}::*, {function}, over_heap}};");
    let run = format!("over_heap({share}, |memory| {run}).unwrap();");
    text(&format!("{name}_differs"), &[&import], program, &run, why)
}

/// Returns a test of a program on an allocator, by the allocator's name as
/// [`Subject`](super::Subject) has it.
pub fn allocator_test(on: &str, program: &[AllocatorOp], why: &str) -> String {
    let name: String = on.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let imports = ["use loligo_tests::{programs::AllocatorOp::*, shrink::run_on};"];
    let run = format!("run_on(\"{on}\", &program).unwrap();");
    text(&format!("{}_is_broken", name.to_lowercase()), &imports, program, &run, why)
}

fn text<O: Debug>(name: &str, imports: &[&str], program: &[O], run: &str, why: &str) -> String {
    let mut test = format!("#[test]\nfn {name}() {{\n");
    for import in imports {
        let _ = writeln!(test, "    {import}");
    }
    let why: String = why.lines().next().unwrap_or("").chars().take(COLUMNS - 7).collect();
    let _ = writeln!(test, "    // {}", why.trim_end());
    test.push_str(&array(program));
    let _ = writeln!(test, "    {run}\n}}");
    test
}

/// Returns the program as an array, on one line if it fits, else on as few as may be.
fn array<O: Debug>(program: &[O]) -> String {
    let ops: Vec<String> = program.iter().map(|op| format!("{op:?}")).collect();
    let one = format!("    let program = [{}];\n", ops.join(", "));
    if one.len() <= COLUMNS + 1 {
        return one;
    }
    let mut lines = String::from("    let program = [");
    let mut column = COLUMNS;
    for op in ops {
        if column + op.len() + 2 > COLUMNS {
            lines.push_str("\n       ");
            column = 7;
        }
        let _ = write!(lines, " {op},");
        column += op.len() + 2;
    }
    lines.push_str("\n    ];\n");
    lines
}
