//! Fields and generics of what is derived for.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};
use syn::{Data, DeriveInput, Error, Fields, Index, Member, Result};

/// Returns the fields of a struct.
///
/// # Errors
///
/// If it is an enum or a union: `derive` names what was to be derived.
pub(crate) fn of_struct<'i>(input: &'i DeriveInput, derive: &str) -> Result<&'i Fields> {
    match &input.data {
        Data::Struct(data) => Ok(&data.fields),
        Data::Enum(_) | Data::Union(_) => Err(Error::new_spanned(
            &input.ident,
            format!("`{derive}` is derived for structs alone"),
        )),
    }
}

/// Returns what names the field at `index` in an expression: its name or its number.
pub(crate) fn member(field: &syn::Field, index: usize) -> Member {
    field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(index)), Member::Named)
}

/// Returns the name of the field at `index` as users read it.
pub(crate) fn name(field: &syn::Field, index: usize) -> String {
    field.ident.as_ref().map_or_else(|| index.to_string(), name_of)
}

/// Returns a name as users read it, without the `r#` of keywords.
pub(crate) fn name_of(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(Into::into).unwrap_or(text)
}

/// Returns the variable that a pattern binds the field at `index` to.
pub(crate) fn binding(index: usize) -> syn::Ident {
    format_ident!("field_{index}")
}

/// Refuses type parameters, of which `derive` could not know what they are.
///
/// # Errors
///
/// If there are any.
pub(crate) fn no_generics(input: &DeriveInput, derive: &str, reason: &str) -> Result<()> {
    if input.generics.params.is_empty() {
        return Ok(());
    }
    let message = format!("`{derive}` is derived for types without parameters: {reason}");
    Err(Error::new_spanned(&input.generics, message))
}

/// Returns the generics with `bound` on each type parameter.
pub(crate) fn bounded(input: &DeriveInput, bound: &TokenStream) -> Result<syn::Generics> {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse2(bound.to_token_stream())?);
    }
    Ok(generics)
}

/// Returns a name of a type in small letters with `_` between its words: `HTTPDoor2` is
/// `http_door2`.
pub(crate) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before]);
        let begins = before.is_some_and(|before| {
            let after_is_small = letters.get(index + 1).is_some_and(|next| next.is_lowercase());
            before != '_' && (!before.is_uppercase() || after_is_small)
        });
        if letter.is_uppercase() && begins {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
