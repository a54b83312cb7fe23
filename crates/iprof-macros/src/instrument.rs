//! Decides which functions of an item become zones.

use crate::function;
use crate::options::Options;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Block, Error, ImplItem, Item, Result, Signature, TraitItem};

/// Returns the item with zones added, or the unchanged item and a compile error.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    instrumented(options, item.clone()).unwrap_or_else(|error| {
        let error = error.into_compile_error();
        quote!(#item #error)
    })
}

/// Returns the item unchanged. It is the enclosing `instrument` attribute that looks for `skip`.
pub(crate) fn expand_skip(options: TokenStream, item: TokenStream) -> TokenStream {
    if options.is_empty() {
        return item;
    }
    let error = Error::new_spanned(options, "skip takes no options").into_compile_error();
    quote!(#item #error)
}

fn instrumented(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let options = Options::parse(options)?;
    let mut item = syn::parse2::<Item>(item)?;
    options.check(matches!(item, Item::Fn(_)))?;
    match &mut item {
        Item::Fn(item) => {
            if let Some(constness) = item.sig.constness {
                let text = "a const fn cannot have a zone: it may run in the compiler";
                return Err(Error::new(constness.span, text));
            }
            if is_naked(&item.attrs) {
                let text = "a naked function cannot have a zone: its body is assembly";
                return Err(Error::new(item.sig.ident.span(), text));
            }
            function::instrument(&item.sig, &mut item.block, &options);
        }
        Item::Impl(_) | Item::Trait(_) | Item::Mod(_) => instrument_functions(&mut item, &options),
        _ => {
            let text =
                "expected a function with a body, an impl block, a trait or an inline module";
            return Err(Error::new_spanned(item, text));
        }
    }
    Ok(item.into_token_stream())
}

/// Instruments an item's functions, including functions in nested modules.
fn instrument_functions(item: &mut Item, options: &Options) {
    let instrument = |attributes: &[Attribute], signature: &Signature, body: &mut Block| {
        let lines = || function::lines(body);
        let is_left_out = has_own(attributes)
            || signature.constness.is_some()
            || is_naked(attributes)
            || options.min_lines.is_some_and(|(_, least)| lines() < least);
        if !is_left_out {
            function::instrument(signature, body, options);
        }
    };
    match item {
        Item::Fn(it) => instrument(&it.attrs, &it.sig, &mut it.block),
        Item::Impl(block) => {
            for item in &mut block.items {
                if let ImplItem::Fn(it) = item {
                    instrument(&it.attrs, &it.sig, &mut it.block);
                }
            }
        }
        Item::Trait(of) => {
            for item in &mut of.items {
                if let TraitItem::Fn(it) = item
                    && let Some(body) = &mut it.default
                {
                    instrument(&it.attrs, &it.sig, body);
                }
            }
        }
        Item::Mod(module) => {
            for item in module.content.iter_mut().flat_map(|(_, items)| items) {
                if !has_own(attributes(item)) {
                    instrument_functions(item, options);
                }
            }
        }
        _ => {}
    }
}

/// Returns the attributes of an impl block, trait or module, or nothing for other items.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Impl(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns whether the item has its own `skip` or `iprof::instrument` attribute. `skip` is recognized without a path,
/// but `instrument` needs one, because `tracing` also has an `instrument` attribute.
fn has_own(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let mut segments = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        match (segments.next(), segments.next(), segments.next()) {
            (Some(name), None, _) => name == "skip",
            (Some(of), Some(name), None) => {
                of == "iprof" && ["skip", "instrument"].contains(&name.as_str())
            }
            _ => false,
        }
    })
}

/// Returns whether a function is marked `#[unsafe(naked)]`.
fn is_naked(attributes: &[Attribute]) -> bool {
    let is_naked = |attribute: &Attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text.chars()
            .filter(|c| !c.is_whitespace())
            .eq("unsafe(naked)".chars())
    };
    attributes.iter().any(is_naked)
}
