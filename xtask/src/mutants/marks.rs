//! Marks for AddressSanitizer and Valgrind, which declare whose memory is whose. They are compiled
//! to nothing in the programs that judge mutants, so a mutant there is the program itself. The runs
//! under those tools are its judges.

use syn::{Expr, ExprCall, ExprIf, ExprMethodCall};

/// Functions that do nothing but mark, by the file or folder they and their callers are in.
const FUNCTIONS: [(&str, &[&str]); 6] = [
    ("allocators/src/blocks/buddy", &["open", "close", "open_as_it_is", "open_for_good", "place"]),
    ("allocators/src/heaps/size_class_heap/large.rs", &["mark_resized"]),
    ("allocators/src/linear/frame", &["mark_resized"]),
    ("allocators/src/pages/guard_page", &["unmark"]),
    ("allocators/src/pages/page/resize.rs", &["mark_grown"]),
    ("allocators/src/blocks/shared_pool", &["open"]),
];

/// A file that holds nothing else.
const FILE: &str = "allocators/src/bookkeeping/mark.rs";

/// Whether a free function or a method only marks.
pub(super) fn is_function(path: &str, name: &str, has_receiver: bool) -> bool {
    path == FILE || (has_receiver || name.starts_with("mark_")) && is_known(path, name)
}

/// Whether nothing is left of an expression where nothing is left of the marks.
pub(super) fn is_mark(path: &str, expression: &Expr) -> bool {
    match expression {
        Expr::Call(call) => is_call(path, call),
        Expr::MethodCall(call) => is_method(path, call),
        Expr::If(branch) => is_branch(branch),
        _ => false,
    }
}

fn is_call(path: &str, call: &ExprCall) -> bool {
    let Expr::Path(callee) = &*call.func else {
        return false;
    };
    let names: Vec<String> = callee.path.segments.iter().map(|it| it.ident.to_string()).collect();
    match names.as_slice() {
        // What it does between the marks counts.
        [module, name] => module == "mark" && name != "opened",
        [name] => name.starts_with("mark_") && is_known(path, name),
        _ => false,
    }
}

fn is_method(path: &str, call: &ExprMethodCall) -> bool {
    is_known(path, &call.method.to_string())
}

/// `if self.watch.is_on() { .. }`, which is false there.
fn is_branch(branch: &ExprIf) -> bool {
    let Expr::MethodCall(call) = &*branch.cond else {
        return false;
    };
    let watches = matches!(&*call.receiver, Expr::Field(field)
        if matches!(&field.member, syn::Member::Named(name) if name == "watch"));
    branch.else_branch.is_none() && watches && call.method == "is_on"
}

fn is_known(path: &str, name: &str) -> bool {
    FUNCTIONS.iter().any(|(place, names)| path.starts_with(place) && names.contains(&name))
}
