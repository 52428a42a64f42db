//! `Streamed`: one function that reads and writes.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DataEnum, DeriveInput, Error, Fields, Result};

use crate::attributes::{self, Setting};
use crate::fields;

/// What an attribute of a field may say.
const KNOWN: [&str; 8] = ["array", "default", "id", "numbers", "since", "skip", "text", "with"];

/// Returns the implementation.
///
/// # Errors
///
/// If it is a union or an enum without variants, or attributes contradict each other.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(attribute) = input.attrs.iter().find(|other| other.path().is_ident("streamed")) {
        let message = "`#[streamed(..)]` belongs to a field";
        return Err(Error::new_spanned(attribute, message));
    }
    let body = match &input.data {
        Data::Struct(data) => of_fields(&data.fields, |field, index| {
            let member = fields::member(field, index);
            quote!(&mut self.#member)
        })?,
        Data::Enum(data) => of_enum(input, data)?,
        Data::Union(_) => {
            let message =
                "`Streamed` is derived for structs and enums: what a union holds is not known";
            return Err(Error::new_spanned(&input.ident, message));
        }
    };
    let name = &input.ident;
    let generics = fields::bounded(input, &quote!(::loligo_containers::Streamed))?;
    let (head, parameters, conditions) = generics.split_for_impl();
    Ok(quote! {
        impl #head ::loligo_containers::Streamed for #name #parameters #conditions {
            #[inline]
            fn stream<LoligoStream: ::loligo_containers::Stream>(
                &mut self,
                stream: &mut LoligoStream,
            ) -> ::core::result::Result<(), ::loligo_containers::StreamError> {
                #body
                ::core::result::Result::Ok(())
            }
        }
    })
}

/// Returns the calls for all fields, each with the place that `place` names.
fn of_fields(
    all: &Fields,
    place: impl Fn(&syn::Field, usize) -> TokenStream,
) -> Result<TokenStream> {
    let call = |(index, field)| call(field, index, &place(field, index));
    all.iter().enumerate().map(call).collect()
}

/// Returns the call for one field.
fn call(field: &syn::Field, index: usize, place: &TokenStream) -> Result<TokenStream> {
    let settings = attributes::read(&field.attrs, "streamed", &KNOWN)?;
    let find = |key: &str| settings.iter().find(|setting| setting.key == key);
    let kinds: Vec<&Setting> = settings
        .iter()
        .filter(|setting| !matches!(setting.key.as_str(), "since" | "default"))
        .collect();
    if let [first, second, ..] = kinds[..] {
        let message = format!("`{}` and `{}` exclude each other", first.key, second.key);
        return Err(Error::new(second.span, message));
    }
    if let (Some(kind), Some(since)) = (kinds.first(), find("since")) {
        let message = format!(
            "`since` is for fields without `{}`: write `with` and ask for \
            `stream.version()` there",
            kind.key
        );
        return Err(Error::new(since.span, message));
    }
    let name = fields::name(field, index);
    let of_version = match (find("since"), find("default")) {
        (None, Some(default)) => {
            return Err(Error::new(
                default.span,
                "`default` needs `since`: older than which version?",
            ));
        }
        (None, None) => None,
        (Some(since), default) => Some((since.value("2")?, default)),
    };
    if let Some((since, default)) = of_version {
        return Ok(match default {
            None => quote!(stream.added(#since, #name, #place)?;),
            Some(default) => {
                let default = default.value("1.0")?;
                quote!(stream.added_or(#since, #name, #place, #default)?;)
            }
        });
    }
    let Some(kind) = kinds.first() else { return Ok(quote!(stream.field(#name, #place)?;)) };
    if kind.key == "with" {
        let with = kind.value("path::of::a_function")?;
        return Ok(quote!(stream.named(#name, |stream| #with(stream, #place))?;));
    }
    if let Some(value) = &kind.value {
        return Err(Error::new_spanned(value, format!("`{}` takes no value", kind.key)));
    }
    if kind.key == "skip" {
        return Ok(quote!(let _ = #place;));
    }
    let method = format_ident!("{}", kind.key, span = kind.span);
    Ok(quote!(stream.#method(#name, #place)?;))
}

/// Returns the calls for an enum: its variant's place, and the fields of the variant.
fn of_enum(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let count = u32::try_from(data.variants.len()).unwrap_or(u32::MAX);
    if count == 0 {
        let message = "`Streamed` cannot be derived for an enum without variants: it has no value";
        return Err(Error::new_spanned(&input.ident, message));
    }
    let mut places = TokenStream::new();
    let mut values = TokenStream::new();
    let mut calls = TokenStream::new();
    for (place, variant) in (0..count).zip(&data.variants) {
        let name = &variant.ident;
        let members = variant.fields.iter().enumerate().map(|(index, field)| {
            let member = fields::member(field, index);
            let binding = fields::binding(index);
            (member.into_token_stream(), binding)
        });
        let (members, bindings): (Vec<_>, Vec<_>) = members.unzip();
        let fields =
            of_fields(&variant.fields, |_, index| fields::binding(index).into_token_stream())?;
        places.extend(quote!(Self::#name { .. } => #place,));
        values.extend(quote! {
            #place => Self::#name { #(#members: ::core::default::Default::default(),)* },
        });
        calls.extend(quote!(Self::#name { #(#members: #bindings,)* } => { #fields }));
    }
    let enum_name = syn::LitStr::new(&input.ident.to_string(), Span::call_site());
    Ok(quote! {
        let place: u32 = match self { #places };
        let read = stream.place(place, #count)?;
        if LoligoStream::READING {
            *self = match read {
                #values
                _ => return ::core::result::Result::Err(stream.refuse(
                    ::core::concat!("a variant of `", #enum_name, "` that there is not"),
                )),
            };
        }
        match self { #calls }
    })
}
