//! `OpenRow`: the fields of a struct as fields of an open array.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Error, Expr, ExprLit, Fields, Lit, LitStr, Result};

use crate::{attributes, fields};

/// A field: its constant, and what names and reads it.
struct Row<'i> {
    field: &'i syn::Field,
    constant: syn::Ident,
    name: LitStr,
}

/// Returns the implementation, and the constants of the fields.
///
/// # Errors
///
/// If it is no struct with named fields, has parameters, or two fields have the same name.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Fields::Named(named) = fields::of_struct(input, "OpenRow")? else {
        let message =
            "`OpenRow` is derived for structs with named fields: the names are the array's";
        return Err(Error::new_spanned(&input.ident, message));
    };
    fields::no_generics(input, "OpenRow", "its constants name the types of its fields")?;
    let rows = named.named.iter().map(row).collect::<Result<Vec<_>>>()?;
    for (index, row) in rows.iter().enumerate() {
        if rows[..index].iter().any(|other| other.name.value() == row.name.value()) {
            let message = format!("there is a field `{}` before this one", row.name.value());
            return Err(Error::new(row.name.span(), message));
        }
    }
    let constants = rows.iter().map(constant);
    let implementation = implementation(input, &rows);
    let name = &input.ident;
    Ok(quote! {
        impl #name {
            #(#constants)*
        }
        #implementation
    })
}

fn row(field: &syn::Field) -> Result<Row<'_>> {
    let settings = attributes::read(&field.attrs, "open", &["name"])?;
    let ident = field.ident.as_ref().expect("fields with names were asked for");
    let text = fields::name(field, 0);
    let name = match settings.first() {
        None => LitStr::new(&text, ident.span()),
        Some(setting) => match setting.value("\"hit_points\"")? {
            Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) => name.clone(),
            other => return Err(Error::new_spanned(other, "a field's name is a text in quotes")),
        },
    };
    let constant = format_ident!("{}", text.to_uppercase(), span = ident.span());
    Ok(Row { field, constant, name })
}

fn constant(row: &Row<'_>) -> TokenStream {
    let Row { field: syn::Field { vis, ty, .. }, constant, name } = row;
    let doc =
        format!(" The field `{}` of an open array, as derived for this struct.", name.value());
    quote! {
        #[doc = #doc]
        #vis const #constant: ::loligo_containers::Field<#ty> = ::loligo_containers::Field::new(
            ::loligo_containers::__derive::IdString32::new(#name),
        );
    }
}

fn implementation(input: &DeriveInput, rows: &[Row<'_>]) -> TokenStream {
    let name = &input.ident;
    let constants: Vec<_> = rows.iter().map(|row| &row.constant).collect();
    let members: Vec<_> = rows.iter().map(|row| &row.field.ident).collect();
    quote! {
        impl ::loligo_containers::OpenRow for #name {
            fn try_add_to<A: ::loligo_containers::__derive::Allocator + ?::core::marker::Sized>(
                array: &mut ::loligo_containers::OpenArray<'_, A>,
            ) -> ::core::result::Result<(), ::loligo_containers::OpenError> {
                #(array.try_add_field(Self::#constants)?;)*
                ::core::result::Result::Ok(())
            }

            fn is_in<A: ::loligo_containers::__derive::Allocator + ?::core::marker::Sized>(
                array: &::loligo_containers::OpenArray<'_, A>,
            ) -> bool {
                true #(&& array.has(Self::#constants))*
            }

            fn read<A: ::loligo_containers::__derive::Allocator + ?::core::marker::Sized>(
                array: &::loligo_containers::OpenArray<'_, A>,
                row: usize,
            ) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self { #(#members: array.get(row, Self::#constants)?,)* })
            }

            fn write<A: ::loligo_containers::__derive::Allocator + ?::core::marker::Sized>(
                &self,
                array: &mut ::loligo_containers::OpenArray<'_, A>,
                row: usize,
            ) -> bool {
                if row >= array.len() || !<Self as ::loligo_containers::OpenRow>::is_in(array) {
                    return false;
                }
                #(array.set(row, Self::#constants, self.#members);)*
                true
            }
        }
    }
}
