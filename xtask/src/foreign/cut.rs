//! Tests are cut out of sources, by the places that the parser gives.

use core::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Attribute, Item};

/// Macros in whose braces each function is a test.
const MACROS: [&str; 2] = ["quickcheck", "proptest"];

/// Attributes that make a function a test.
const ATTRIBUTES: [&str; 2] = ["test", "quickcheck"];

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

/// A function: its path within the source, and where it is.
struct Piece {
    path: String,
    place: Range<usize>,
    /// Whether it is no test, and is called by tests.
    is_helper: bool,
}

/// A program of tests, out of which they can be taken.
pub(super) struct Program<'s> {
    source: &'s str,
    pieces: Vec<Piece>,
}

impl<'s> Program<'s> {
    /// Finds the tests in a source, and the functions named as `helpers`.
    ///
    /// # Errors
    ///
    /// If it is not Rust.
    pub(super) fn read(source: &'s str, helpers: &[&str]) -> Result<Self, String> {
        let mut pieces = Vec::new();
        collect(&parse(source)?, "", helpers, &mut pieces);
        Ok(Self { source, pieces })
    }

    /// Returns the paths of the tests. Those that a macro makes are not among them.
    pub(super) fn tests(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter(|piece| !piece.is_helper).map(|piece| &*piece.path)
    }

    /// Returns the program without some of its tests and without the helpers.
    pub(super) fn without(&self, is_left_out: &dyn Fn(&str) -> bool) -> String {
        self.keep(&|piece| !piece.is_helper && !is_left_out(&piece.path))
    }

    /// Returns the program with one test, and with the helpers that it names.
    pub(super) fn alone(&self, test: &str) -> String {
        let mut bodies = self.pieces.iter().filter(|piece| piece.path == test);
        let body = bodies.next().map_or("", |piece| &self.source[piece.place.clone()]);
        let name = |path: &'_ str| path.rsplit("::").next().map(str::to_owned);
        self.keep(&|piece| match piece.is_helper {
            true => name(&piece.path).is_some_and(|name| body.contains(&name)),
            false => piece.path == test,
        })
    }

    fn keep(&self, is_kept: &dyn Fn(&Piece) -> bool) -> String {
        let mut text = String::new();
        let mut from = 0;
        for piece in self.pieces.iter().filter(|piece| !is_kept(piece)) {
            text.push_str(&self.source[from..piece.place.start]);
            from = piece.place.end;
        }
        text.push_str(&self.source[from..]);
        text
    }
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

fn collect(items: &[Item], path: &str, helpers: &[&str], pieces: &mut Vec<Piece>) {
    for item in items {
        match item {
            Item::Fn(function) => {
                let name = function.sig.ident.to_string();
                let is_helper = helpers.contains(&name.as_str());
                if is_helper || function.attrs.iter().any(is_test) {
                    let path = format!("{path}{name}");
                    pieces.push(Piece { path, place: item.span().byte_range(), is_helper });
                }
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    collect(items, &format!("{path}{}::", module.ident), helpers, pieces);
                }
            }
            Item::Macro(of) if MACROS.iter().any(|name| of.mac.path.is_ident(name)) => {
                collect_macro(of.mac.tokens.clone(), path, pieces);
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
fn collect_macro(tokens: TokenStream, path: &str, pieces: &mut Vec<Piece>) {
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
                    let path = format!("{path}{name}");
                    pieces.push(Piece { path, place, is_helper: false });
                }
                start = None;
            }
            _ => {}
        }
    }
}
