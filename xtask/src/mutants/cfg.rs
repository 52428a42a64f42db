//! What of a source is compiled in the build that the mutants are made for.

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Token};

/// The features of tier 0 that the build leaves out: client requests change nothing without
/// Valgrind.
pub(super) const FEATURES_OFF: [&str; 1] = ["valgrind"];

/// The names without a value that hold: the build is for Linux on x86-64, and tests are not code.
const NAMES: [&str; 4] = ["unix", "debug_assertions", "panic", "overflow_checks"];

/// The names with a value that hold.
const VALUES: [(&str, &str); 7] = [
    ("target_os", "linux"),
    ("target_arch", "x86_64"),
    ("target_pointer_width", "64"),
    ("target_family", "unix"),
    ("target_endian", "little"),
    ("panic", "unwind"),
    ("target_env", "gnu"),
];

/// Whether code with these attributes is compiled, tests and models left out.
pub(super) fn is_active(attributes: &[Attribute]) -> bool {
    attributes.iter().all(|attribute| {
        if attribute.path().is_ident("test") {
            return false;
        }
        if !attribute.path().is_ident("cfg") {
            return true;
        }
        attribute.parse_args::<Meta>().map_or(true, |meta| holds(&meta))
    })
}

/// Whether a predicate holds.
fn holds(meta: &Meta) -> bool {
    match meta {
        Meta::Path(path) => NAMES.iter().any(|name| path.is_ident(name)),
        Meta::NameValue(pair) => {
            let Expr::Lit(literal) = &pair.value else {
                return false;
            };
            let Lit::Str(value) = &literal.lit else {
                return false;
            };
            let value = value.value();
            if pair.path.is_ident("feature") {
                return !FEATURES_OFF.contains(&value.as_str());
            }
            pair.path.is_ident("target_has_atomic")
                || VALUES.iter().any(|(name, held)| pair.path.is_ident(name) && value == *held)
        }
        Meta::List(list) => {
            let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
            let Ok(inner) = list.parse_args_with(parse) else {
                return false;
            };
            let mut inner = inner.iter();
            if list.path.is_ident("all") {
                inner.all(holds)
            } else if list.path.is_ident("any") {
                inner.any(holds)
            } else {
                list.path.is_ident("not") && !inner.all(holds)
            }
        }
    }
}
