//! Attributes: what is in the parentheses, read once, each key at most once.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Path, Result};

/// A key of an attribute and what was given for it.
pub(crate) struct Setting {
    /// The key as it is written.
    pub(crate) key: String,
    /// What follows the `=`, if one follows.
    pub(crate) value: Option<Expr>,
    /// Where the key is.
    pub(crate) span: Span,
}

impl Setting {
    /// Returns what was given.
    ///
    /// # Errors
    ///
    /// If nothing was: `example` says what may be.
    pub(crate) fn value(&self, example: &str) -> Result<&Expr> {
        let key = &self.key;
        let missing =
            || Error::new(self.span, format!("`{key}` needs a value: `{key} = {example}`"));
        self.value.as_ref().ok_or_else(missing)
    }
}

/// Reads all attributes called `name` into settings.
///
/// # Errors
///
/// If a key is none of `known`, or is there twice, or the attribute is not a list in parentheses.
pub(crate) fn read(attributes: &[Attribute], name: &str, known: &[&str]) -> Result<Vec<Setting>> {
    let mut settings: Vec<Setting> = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        attribute.parse_nested_meta(|meta| {
            let setting = setting(&meta, name, known)?;
            if settings.iter().any(|other| other.key == setting.key) {
                return Err(meta.error(format!("`{}` is given twice", setting.key)));
            }
            settings.push(setting);
            Ok(())
        })?;
    }
    Ok(settings)
}

fn setting(meta: &ParseNestedMeta<'_>, name: &str, known: &[&str]) -> Result<Setting> {
    let key = text(&meta.path);
    if !known.contains(&key.as_str()) {
        let known = known.join("`, `");
        return Err(meta.error(format!("`#[{name}(..)]` knows no `{key}`; it knows `{known}`")));
    }
    let value = if meta.input.peek(syn::Token![=]) { Some(meta.value()?.parse()?) } else { None };
    Ok(Setting { key, value, span: meta.path.span() })
}

fn text(path: &Path) -> String {
    path.get_ident().map_or_else(|| "a path".into(), ToString::to_string)
}

/// Returns the representations that `#[repr(..)]` states, as they are written.
///
/// # Errors
///
/// If the attribute cannot be read.
pub(crate) fn representations(attributes: &[Attribute]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            found.push(text(&meta.path));
            // The number of `align(8)` and `packed(2)`, which the compiler looks at.
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                let _: Expr = content.parse()?;
            }
            Ok(())
        })?;
    }
    Ok(found)
}
