//! Tests are cut out of sources, by the places that the parser gives.

use core::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Attribute, Item};

/// Macros in whose braces each function is a test.
const MACROS: [&str; 2] = ["quickcheck", "proptest"];

/// Attributes that make a function a test.
const ATTRIBUTES: [&str; 2] = ["test", "quickcheck"];

/// A test: its path within the source, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    path: String,
    place: Range<usize>,
}

/// Returns the modules of unit tests in a source file, as they are.
///
/// # Errors
///
/// If it is not Rust.
pub(super) fn modules(source: &str) -> Result<Vec<&str>, String> {
    let items = parse(source)?;
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_some() && is_for_tests(&module.attrs) => {
            Some(&source[item.span().byte_range()])
        }
        _ => None,
    });
    Ok(modules.collect())
}

/// Returns a source without the tests whose path `is_kept` refuses, all else as it is.
///
/// # Errors
///
/// If it is not Rust.
pub(super) fn without(source: &str, is_kept: &dyn Fn(&str) -> bool) -> Result<String, String> {
    let mut tests = Vec::new();
    collect(&parse(source)?, "", &mut tests);
    let mut text = String::new();
    let mut from = 0;
    for test in tests.iter().filter(|test| !is_kept(&test.path)) {
        text.push_str(&source[from..test.place.start]);
        from = test.place.end;
    }
    text.push_str(&source[from..]);
    Ok(text)
}

/// Returns the paths of the tests in a source. Those that a macro makes are not among them.
///
/// # Errors
///
/// If it is not Rust.
pub(super) fn names(source: &str) -> Result<Vec<String>, String> {
    let mut tests = Vec::new();
    collect(&parse(source)?, "", &mut tests);
    Ok(tests.into_iter().map(|test| test.path).collect())
}

fn parse(source: &str) -> Result<Vec<Item>, String> {
    let file = syn::parse_file(source).map_err(|error| format!("it cannot be parsed: {error}"))?;
    Ok(file.items)
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg") && has_word(list.tokens.clone(), "test")
    })
}

fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn collect(items: &[Item], path: &str, tests: &mut Vec<Test>) {
    for item in items {
        match item {
            Item::Fn(function) if function.attrs.iter().any(is_test) => {
                let path = format!("{path}{}", function.sig.ident);
                tests.push(Test { path, place: item.span().byte_range() });
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    collect(items, &format!("{path}{}::", module.ident), tests);
                }
            }
            Item::Macro(of) if MACROS.iter().any(|name| of.mac.path.is_ident(name)) => {
                collect_macro(of.mac.tokens.clone(), path, tests);
            }
            _ => {}
        }
    }
}

fn is_test(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| ATTRIBUTES.iter().any(|name| last.ident == name))
}

/// Finds the functions in a macro: from the token after the one before to the closing brace.
fn collect_macro(tokens: TokenStream, path: &str, tests: &mut Vec<Test>) {
    let mut start = None;
    let mut name = None;
    let mut is_named_next = false;
    for token in tokens {
        let start_here = *start.get_or_insert_with(|| token.span().byte_range().start);
        match &token {
            TokenTree::Ident(ident) if is_named_next => {
                name = Some(ident.to_string());
                is_named_next = false;
            }
            TokenTree::Ident(ident) => is_named_next = ident == "fn" && name.is_none(),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                if let Some(name) = name.take() {
                    let place = start_here..token.span().byte_range().end;
                    tests.push(Test { path: format!("{path}{name}"), place });
                }
                start = None;
            }
            _ => {}
        }
    }
}
