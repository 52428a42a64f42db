//! Functions: their names, their hashes, and what they may return at once.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Attribute, Block, Expr, Item, ItemImpl, ItemTrait, Signature, Stmt, Type};

use super::Finder;
use crate::mutants::site::Shape;
use crate::mutants::{change, marks};

/// The function that is looked at.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) hash: u32,
    pub(super) is_const: bool,
    pub(super) owner: usize,
}

/// The block that functions belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    /// What their names begin with.
    prefix: String,
    /// Its own text, which is part of theirs.
    text: String,
}

impl Header {
    pub(super) fn of_impl(block: &ItemImpl, text: &str) -> Self {
        let name = type_name(&block.self_ty);
        let prefix = match &block.trait_ {
            Some((path, _)) => {
                let last = path.segments.last().map(|segment| segment.ident.to_string());
                format!("{name} as {}::", last.unwrap_or_default())
            }
            None => format!("{name}::"),
        };
        let begin = block.impl_token.span().byte_range().start;
        let end = block.brace_token.span.open().byte_range().start;
        Self { prefix, text: text[begin..end].to_owned() }
    }

    pub(super) fn of_trait(block: &ItemTrait) -> Self {
        Self { prefix: format!("{}::", block.ident), text: String::new() }
    }
}

impl Finder<'_> {
    /// Looks at a block of functions.
    pub(super) fn within(&mut self, header: Header, look: impl FnOnce(&mut Self)) {
        let outer = core::mem::replace(&mut self.header, header);
        look(self);
        self.header = outer;
    }

    /// Looks at a function.
    pub(super) fn enter(&mut self, signature: &Signature, block: &Block) {
        let begin = signature.span().byte_range().start;
        let range = begin..self.range(block).end;
        let text = format!("{}\n{}", self.header.text, &self.text[range.clone()]);
        let function = Function {
            name: format!("{}{}", self.header.prefix, signature.ident),
            hash: hash(&text),
            is_const: signature.constness.is_some(),
            owner: self.found.functions.len(),
        };
        self.found.functions.push(range);
        let outer = self.function.replace(function);
        let has_receiver = signature.receiver().is_some();
        let is_mark = marks::is_function(self.path, &signature.ident.to_string(), has_receiver);
        let is_unit = matches!(signature.output, syn::ReturnType::Default);
        self.marking(is_mark, |finder| {
            finder.return_at_once(signature, block);
            finder.statements(block, is_unit);
        });
        self.function = outer;
    }

    fn return_at_once(&mut self, signature: &Signature, block: &Block) {
        let does = match block.stmts.as_slice() {
            [] => return,
            [Stmt::Expr(only, None)] => Some(self.source(only).to_owned()),
            _ => None,
        };
        let mut offers = Vec::new();
        for value in change::of_return(&signature.output) {
            if does.as_ref() != Some(&value) {
                let mutation = format!("return {value}");
                offers.push([value, mutation.trim_end().to_owned()]);
            }
        }
        let at = block.brace_token.span.open().byte_range().end;
        let line = signature.ident.span().start().line;
        self.offer(at..at, line, Shape::Return, offers);
    }
}

/// Returns the FNV hash of the tokens of a text, so that comments and white space do not count.
pub(super) fn hash(text: &str) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    match text.parse::<TokenStream>() {
        Ok(tokens) => mix(tokens, &mut hash),
        Err(_) => mix_text(text, &mut hash),
    }
    // The upper half is the better mixed.
    u32::try_from(hash >> 32).unwrap_or_default()
}

fn mix(tokens: TokenStream, hash: &mut u64) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                mix_text(&format!("{:?}", group.delimiter()), hash);
                mix(group.stream(), hash);
                mix_text("end", hash);
            }
            other => mix_text(&other.to_string(), hash),
        }
    }
}

fn mix_text(text: &str, hash: &mut u64) {
    for byte in text.bytes().chain([0]) {
        *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

fn type_name(kind: &Type) -> String {
    match kind {
        Type::Path(path) => {
            path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string())
        }
        Type::Reference(reference) => format!("&{}", type_name(&reference.elem)),
        Type::Slice(slice) => format!("[{}]", type_name(&slice.elem)),
        Type::Array(array) => format!("[{}; _]", type_name(&array.elem)),
        Type::Ptr(pointer) => format!("*{}", type_name(&pointer.elem)),
        _ => "_".into(),
    }
}

/// Returns the attributes of an item.
pub(super) fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the attributes of an expression that can be a statement.
pub(super) fn attributes(expression: &Expr) -> &[Attribute] {
    match expression {
        Expr::Block(it) => &it.attrs,
        Expr::Call(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::If(it) => &it.attrs,
        Expr::Match(it) => &it.attrs,
        Expr::Unsafe(it) => &it.attrs,
        Expr::Return(it) => &it.attrs,
        Expr::Assign(it) => &it.attrs,
        Expr::Binary(it) => &it.attrs,
        Expr::Struct(it) => &it.attrs,
        Expr::Path(it) => &it.attrs,
        Expr::Lit(it) => &it.attrs,
        Expr::ForLoop(it) => &it.attrs,
        Expr::While(it) => &it.attrs,
        Expr::Loop(it) => &it.attrs,
        Expr::Macro(it) => &it.attrs,
        _ => &[],
    }
}
