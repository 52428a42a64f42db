//! What becomes of operators, methods, literals and types: the tables of the mutations.

use syn::{BinOp, GenericArgument, PathArguments, PointerMutability, ReturnType, Type};

/// Methods that are exchanged for another with the same arguments.
const METHODS: [(&str, &str); 16] = [
    ("wrapping_add", "wrapping_sub"),
    ("wrapping_sub", "wrapping_add"),
    ("checked_add", "checked_sub"),
    ("checked_sub", "checked_add"),
    ("saturating_add", "saturating_sub"),
    ("saturating_sub", "saturating_add"),
    ("min", "max"),
    ("max", "min"),
    ("is_some", "is_none"),
    ("is_none", "is_some"),
    ("is_ok", "is_err"),
    ("is_err", "is_ok"),
    ("leading_zeros", "trailing_zeros"),
    ("trailing_zeros", "leading_zeros"),
    ("any", "all"),
    ("all", "any"),
];

/// Returns how an operator is written, and what replaces it.
pub(super) fn of_operator(operator: &BinOp) -> (&'static str, &'static [&'static str]) {
    match operator {
        BinOp::Add(_) => ("+", &["-"]),
        BinOp::Sub(_) => ("-", &["+"]),
        BinOp::Mul(_) => ("*", &["/"]),
        BinOp::Div(_) => ("/", &["*"]),
        BinOp::Rem(_) => ("%", &["/"]),
        BinOp::And(_) => ("&&", &["||"]),
        BinOp::Or(_) => ("||", &["&&"]),
        BinOp::BitXor(_) => ("^", &["|"]),
        BinOp::BitAnd(_) => ("&", &["|"]),
        BinOp::BitOr(_) => ("|", &["&"]),
        BinOp::Shl(_) => ("<<", &[">>"]),
        BinOp::Shr(_) => (">>", &["<<"]),
        BinOp::Eq(_) => ("==", &["!="]),
        BinOp::Ne(_) => ("!=", &["=="]),
        BinOp::Lt(_) => ("<", &["<=", ">="]),
        BinOp::Le(_) => ("<=", &["<", ">"]),
        BinOp::Gt(_) => (">", &[">=", "<="]),
        BinOp::Ge(_) => (">=", &[">", "<"]),
        BinOp::AddAssign(_) => ("+=", &["-="]),
        BinOp::SubAssign(_) => ("-=", &["+="]),
        BinOp::MulAssign(_) => ("*=", &["/="]),
        BinOp::DivAssign(_) => ("/=", &["*="]),
        BinOp::RemAssign(_) => ("%=", &["/="]),
        BinOp::BitXorAssign(_) => ("^=", &["|="]),
        BinOp::BitAndAssign(_) => ("&=", &["|="]),
        BinOp::BitOrAssign(_) => ("|=", &["&="]),
        BinOp::ShlAssign(_) => ("<<=", &[">>="]),
        BinOp::ShrAssign(_) => (">>=", &["<<="]),
        _ => ("", &[]),
    }
}

/// Whether the operator compares; as a whole condition only its limit is moved, for a condition is
/// made true and false anyway.
pub(super) fn compares(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

/// Returns the method that takes the place of another.
pub(super) fn of_method(name: &str) -> Option<&'static str> {
    METHODS.iter().find(|(from, _)| *from == name).map(|(_, to)| *to)
}

/// Returns the literal that takes the place of a whole number: its neighbour, suffix kept. One
/// becomes nothing, but as a step 2, so that a loop that counts with it ends.
pub(super) fn of_number(digits: &str, suffix: &str, is_step: bool) -> Option<String> {
    let value: u128 = digits.parse().ok()?;
    let other = match value {
        1 if is_step => 2,
        1 => 0,
        other => other.checked_add(1)?,
    };
    Some(format!("{other}{suffix}"))
}

/// Returns what a function of this type may return at once.
pub(super) fn of_return(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec![String::new()],
        ReturnType::Type(_, kind) => of_type(kind),
    }
}

fn of_type(kind: &Type) -> Vec<String> {
    match kind {
        Type::Tuple(tuple) if tuple.elems.is_empty() => vec!["()".into()],
        Type::Ptr(pointer) => {
            let is_mut = matches!(pointer.mutability, PointerMutability::Mut(_));
            vec![if is_mut { "::core::ptr::null_mut()" } else { "::core::ptr::null()" }.into()]
        }
        Type::Paren(inner) => of_type(&inner.elem),
        Type::Reference(reference) => {
            let is_text = matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str"));
            if is_text { vec!["\"\"".into()] } else { Vec::new() }
        }
        Type::Path(path) if path.qself.is_none() => match path.path.segments.last() {
            Some(last) => of_name(&last.ident.to_string(), &last.arguments),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn of_name(name: &str, arguments: &PathArguments) -> Vec<String> {
    let first = match arguments {
        PathArguments::AngleBracketed(list) => {
            list.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(kind) => Some(kind),
                _ => None,
            })
        }
        _ => None,
    };
    match name {
        "bool" => vec!["true".into(), "false".into()],
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
        | "isize" => vec!["0".into(), "1".into()],
        "f32" | "f64" => vec!["0.0".into()],
        "Option" => {
            let inner = first.map(of_type).unwrap_or_default();
            let some = inner.first().map(|value| format!("Some({value})"));
            core::iter::once("None".to_owned()).chain(some).collect()
        }
        "Result" => {
            let inner = first.map_or_else(|| vec!["()".into()], of_type);
            inner.first().map(|value| format!("Ok({value})")).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
