//! `BlobType`: how a struct or an enum in a blob is checked.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{
    Data, DataEnum, DataStruct, DeriveInput, Error, Expr, ExprLit, Field, Fields, Ident, Lit,
    Result, Type,
};

use crate::{attributes, fields};

/// The integers that an enum in a blob may be.
const INTEGERS: [&str; 6] = ["u8", "i8", "u16", "i16", "u32", "i32"];

/// The newest version that a field may name.
const VERSIONS_MAX: u32 = 255;

/// Returns the implementation.
///
/// # Errors
///
/// If its layout is not set, or it is what cannot be in a blob.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    fields::no_generics(input, "BlobType", "a blob is opened as one type")?;
    let representations = attributes::representations(&input.attrs)?;
    match &input.data {
        Data::Struct(data) => of_struct(input, data, &representations),
        Data::Enum(data) => of_enum(input, data, &representations),
        Data::Union(_) => {
            let message = "a union cannot be in a blob: which of its fields is valid is not known";
            Err(Error::new_spanned(&input.ident, message))
        }
    }
}

fn of_struct(
    input: &DeriveInput,
    data: &DataStruct,
    representations: &[String],
) -> Result<TokenStream> {
    let Fields::Named(named) = &data.fields else {
        let message = "a struct in a blob has named fields, by which a builder fills them";
        return Err(Error::new_spanned(&input.ident, message));
    };
    if named.named.is_empty() {
        let message = "a struct in a blob has at least one field: what takes no bytes is not there";
        return Err(Error::new_spanned(&input.ident, message));
    }
    if representations.iter().any(|other| other == "packed") {
        let message = "a struct in a blob is not packed: its fields are read by reference";
        return Err(Error::new_spanned(&input.ident, message));
    }
    if !representations.iter().any(|other| other == "C") {
        let message = "a struct in a blob needs `#[repr(C)]`, or its fields have no set places";
        return Err(Error::new_spanned(&input.ident, message));
    }
    let versions: Vec<Version> = named.named.iter().map(version).collect::<Result<_>>()?;
    if let Some(since) = versions.first().filter(|version| version.since != 1) {
        let message = "the first field of a struct in a blob is there in all versions";
        return Err(Error::new(since.span, message));
    }
    let name = &input.ident;
    let text = fields::name_of(name);
    let types: Vec<_> = named.named.iter().map(|field| &field.ty).collect();
    let idents: Vec<_> = named.named.iter().map(|field| &field.ident).collect();
    let names: Vec<_> = named.named.iter().map(|field| fields::name(field, 0)).collect();
    let paths: Vec<_> = names.iter().map(|field| format!("{text}.{field}")).collect();
    let shapes = shapes(&text, &types, &names, &versions);
    let evolution = evolution(name, &types, &idents, &paths, &versions);
    Ok(quote! {
        const _: () = {
            ::core::assert!(
                ::core::mem::align_of::<#name>() <= ::loligo_containers::BLOB_ALIGN,
                "nothing in a blob is aligned to more than 16"
            );
            ::core::assert!(!::core::mem::needs_drop::<#name>(), "nothing in a blob is dropped");
        };

        // SAFETY: the layout is C's, of fields whose own size is set, its alignment was just
        // asserted, and that it has no destructor; each field is checked in place, and the rest is
        // padding, for which any bytes are valid.
        #[allow(unsafe_code)]
        unsafe impl ::loligo_containers::BlobType for #name {
            const NAME: &'static str = #text;
            const PLAIN: bool = true #(&& <#types as ::loligo_containers::BlobType>::PLAIN)*;

            fn check(
                checker: &mut ::loligo_containers::BlobChecker<'_>,
                at: usize,
            ) -> ::core::result::Result<(), ::loligo_containers::BlobRefused> {
                #(
                    let place = at + ::core::mem::offset_of!(#name, #idents);
                    if let ::core::result::Result::Err(refused) =
                        <#types as ::loligo_containers::BlobType>::check(checker, place)
                    {
                        return ::core::result::Result::Err(checker.within(refused, #paths));
                    }
                )*
                ::core::result::Result::Ok(())
            }

            #shapes

            #evolution
        }
    })
}

/// Since when a field is there.
struct Version {
    since: u32,
    /// What older blobs mean, if that is not zero.
    default: Option<Expr>,
    span: Span,
}

/// Reads the attribute of a field.
fn version(field: &Field) -> Result<Version> {
    let settings = attributes::read(&field.attrs, "blob", &["default", "since"])?;
    let find = |key: &str| settings.iter().find(|setting| setting.key == key);
    let default = find("default");
    let Some(since) = find("since") else {
        if let Some(default) = default {
            let message = "`default` needs `since`: older than which version?";
            return Err(Error::new(default.span, message));
        }
        return Ok(Version { since: 1, default: None, span: Span::call_site() });
    };
    let value = since.value("2")?;
    let number = match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse::<u32>().ok(),
        _ => None,
    };
    let Some(number) = number.filter(|number| (2..=VERSIONS_MAX).contains(number)) else {
        let message = format!("`since` is a number from 2 to {VERSIONS_MAX}: each is tried");
        return Err(Error::new_spanned(value, message));
    };
    let default = default.map(|default| default.value("1.0").cloned()).transpose()?;
    Ok(Version { since: number, default, span: since.span })
}

/// Returns the function that adds the shape: the text is that of the fields of a version, so it is
/// what it was before the others were added.
fn shapes(text: &str, types: &[&Type], names: &[String], versions: &[Version]) -> TokenStream {
    let of_version = |limit: u32| {
        let fields = types.iter().zip(names).zip(versions);
        let fields = fields
            .filter(|(_, version)| version.since <= limit)
            .map(|((ty, name), _)| quote!(#name, ":", ::core::stringify!(#ty), ","));
        quote!(::core::concat!(#text, "{", #(#fields,)* "}"))
    };
    let mut since: Vec<u32> = versions.iter().map(|version| version.since).collect();
    since.sort_unstable_by(|a, b| b.cmp(a));
    since.dedup();
    let texts = since.iter().map(|&since| {
        let text = of_version(since);
        // Every version is asked for, as the newest one is counted so.
        quote!((shapes.has(#since), #text))
    });
    let since = versions.iter().map(|version| version.since);
    quote! {
        fn shapes(shapes: &mut ::loligo_containers::BlobShapes) {
            let texts = [#(#texts),*];
            let mut text = "";
            for (has, of_version) in texts {
                if has && text.is_empty() {
                    text = of_version;
                }
            }
            if shapes.add::<Self>(text) {
                #(
                    if shapes.has(#since) {
                        <#types as ::loligo_containers::BlobType>::shapes(shapes);
                    }
                )*
            }
        }
    }
}

/// Returns the functions that know older versions.
fn evolution(
    name: &Ident,
    types: &[&Type],
    idents: &[&Option<Ident>],
    paths: &[String],
    versions: &[Version],
) -> TokenStream {
    let since: Vec<u32> = versions.iter().map(|version| version.since).collect();
    let defaults = versions.iter().zip(types).map(|(version, ty)| {
        version.default.as_ref().map(|default| quote!(upgrade.set::<#ty>(field, #default);))
    });
    quote! {
        fn layout(version: u32) -> ::core::alloc::Layout {
            let mut layout = ::loligo_containers::BlobLayout::new(version);
            #(
                if version >= #since {
                    layout.add::<#types>();
                }
            )*
            layout.finish()
        }

        fn upgrade(
            upgrade: &mut ::loligo_containers::BlobUpgrade<'_>,
            from: usize,
            to: usize,
        ) -> ::core::result::Result<(), ::loligo_containers::BlobRefused> {
            let version = upgrade.version();
            let mut layout = ::loligo_containers::BlobLayout::new(version);
            #(
                let field = to + ::core::mem::offset_of!(#name, #idents);
                if version >= #since {
                    let place = from + layout.add::<#types>();
                    if let ::core::result::Result::Err(refused) =
                        <#types as ::loligo_containers::BlobType>::upgrade(upgrade, place, field)
                    {
                        return ::core::result::Result::Err(upgrade.within(refused, #paths));
                    }
                } else {
                    let _ = field;
                    #defaults
                }
            )*
            ::core::result::Result::Ok(())
        }
    }
}

fn of_enum(
    input: &DeriveInput,
    data: &DataEnum,
    representations: &[String],
) -> Result<TokenStream> {
    let [integer] = representations else {
        let message = "an enum in a blob needs its integer, and only this: `#[repr(u8)]`";
        return Err(Error::new_spanned(&input.ident, message));
    };
    if !INTEGERS.contains(&integer.as_str()) {
        let integers = INTEGERS.join("`, `");
        let message = format!("an enum in a blob is one of `{integers}`, not `{integer}`");
        return Err(Error::new_spanned(&input.ident, message));
    }
    if let Some(variant) = data.variants.iter().find(|variant| !variant.fields.is_empty()) {
        let message = "an enum in a blob has no fields: put them in a struct, as a `BlobOption` of \
            each";
        return Err(Error::new_spanned(variant, message));
    }
    let name = &input.ident;
    let text = fields::name_of(name);
    let integer = Ident::new(integer, input.ident.span());
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let names: Vec<_> = variants.iter().map(|variant| fields::name_of(variant)).collect();
    Ok(quote! {
        // SAFETY: it is an integer of a set size without a destructor, and `check` lets only those
        // numbers pass that are a variant's.
        #[allow(unsafe_code)]
        unsafe impl ::loligo_containers::BlobType for #name {
            const NAME: &'static str = #text;
            const PLAIN: bool = false;

            fn check(
                checker: &mut ::loligo_containers::BlobChecker<'_>,
                at: usize,
            ) -> ::core::result::Result<(), ::loligo_containers::BlobRefused> {
                let number = #integer::from_ne_bytes(checker.bytes_at(at));
                if #(number == Self::#variants as #integer)||* {
                    return ::core::result::Result::Ok(());
                }
                ::core::result::Result::Err(checker.no_variant(at, Self::NAME, i64::from(number)))
            }

            fn shapes(shapes: &mut ::loligo_containers::BlobShapes) {
                shapes.add_enum::<Self>(&[
                    #((#names, i64::from(Self::#variants as #integer)),)*
                ]);
            }
        }

        impl ::loligo_containers::__derive::SealedScalar for #name {}

        impl ::loligo_containers::BlobScalar for #name {
            #[inline]
            fn write(self, endian: ::loligo_containers::Endian, bytes: &mut [u8]) {
                ::loligo_containers::BlobScalar::write(self as #integer, endian, bytes);
            }
        }
    })
}
