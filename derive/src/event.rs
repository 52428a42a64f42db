//! `Event`: the number of the type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Result};

use crate::{attributes, fields};

/// Returns the implementation.
///
/// # Errors
///
/// If it is no struct, or an attribute is not known.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    fields::of_struct(input, "Event")?;
    let settings = attributes::read(&input.attrs, "event", &["name", "number"])?;
    let hashed = |name: TokenStream| {
        quote! { const { ::loligo_containers::__derive::IdString32::new(#name) }.hash() }
    };
    let number = match &settings[..] {
        [] => {
            let name = fields::snake(&fields::name_of(&input.ident));
            hashed(quote!(#name))
        }
        [setting] if setting.key == "name" => {
            let name = setting.value("\"foot_down\"")?;
            hashed(quote!(#name))
        }
        [setting] => {
            let number = setting.value("7")?;
            quote!(#number)
        }
        [.., other] => {
            return Err(Error::new(other.span, "an event has either a name or a number"));
        }
    };
    let name = &input.ident;
    let (head, parameters, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        impl #head ::loligo_containers::Event for #name #parameters #conditions {
            const TYPE: u32 = #number;
        }
    })
}
