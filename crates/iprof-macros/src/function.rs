//! Adds a zone to one function. The zone is entered once per call or once per poll.

use crate::options::Options;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Block, Expr, ExprAsync, GenericArgument, PathArguments, ReturnType, Signature, Stmt};
use syn::{Type, TypeParamBound, parse_quote};

/// Adds the zone to the function's body. The added tokens, and therefore the zone, have the source location of the
/// function's name. Existing tokens keep their locations.
pub(crate) fn instrument(signature: &Signature, body: &mut Block, options: &Options) {
    let span = signature.ident.span();
    let name = options.name.as_ref().map(|(_, name)| name);
    // The options that follow the zone's name. The default name is the function's name.
    let idle = options.idle.map(|span| Ident::new("idle", span));
    let budget = options.budget.as_ref().map(|(span, budget)| {
        let word = Ident::new("budget", *span);
        quote!(#word = #budget)
    });
    let word = idle.map(ToTokens::into_token_stream).or(budget);
    let word = word.map(|word| quote!(, #word));
    let name = name.map_or_else(|| quote!(fn), ToTokens::into_token_stream);
    if signature.asyncness.is_some() {
        let typed = match &signature.output {
            ReturnType::Default => typed(&parse_quote!(())),
            ReturnType::Type(_, output) => typed(output),
        };
        let statements = &body.stmts;
        let polls = quote_spanned!(span=>
            ::iprof::__polls!([#name #word] [fn] { #typed } { #(#statements)* })
        );
        body.stmts = vec![Stmt::Expr(Expr::Verbatim(polls), None)];
    } else if let Some(Stmt::Expr(last, None)) = body.stmts.last_mut()
        && let Some(expression) = future_within(last)
        && let Expr::Async(future) = &*expression
    {
        let ExprAsync {
            attrs,
            capture,
            block,
            ..
        } = future;
        let typed = match &signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, output) => future_output(output).and_then(typed),
        };
        let statements = &block.stmts;
        let polls = quote_spanned!(span=>
            #(#attrs)* ::iprof::__polls!([#name #word] [#capture] { #typed } { #(#statements)* })
        );
        *expression = Expr::Verbatim(polls);
    } else {
        let zone = quote_spanned!(span=> ::iprof::zone!(#name #word););
        body.stmts.insert(0, Stmt::Expr(Expr::Verbatim(zone), None));
    }
}

/// Returns the number of lines between a body's braces.
pub(crate) fn lines(body: &Block) -> usize {
    let braces = body.brace_token.span;
    let [first, last] = [braces.open(), braces.close()].map(|span| span.unwrap().line());
    last.saturating_sub(first + 1)
}

/// Returns an expression's `async` block: the expression itself, or the block inside
/// `Box::pin(async { … })` or `async { … }.boxed()`.
fn future_within(expression: &mut Expr) -> Option<&mut Expr> {
    match expression {
        Expr::Async(_) => Some(expression),
        Expr::Call(call) => {
            let Expr::Path(function) = &*call.func else {
                return None;
            };
            let mut names = function.path.segments.iter().rev().map(|it| &it.ident);
            let is_box_pin = names.next()? == "pin" && names.next()? == "Box";
            let is_block = matches!(call.args.first()?, Expr::Async(_));
            call.args.first_mut().filter(|_| is_box_pin && is_block)
        }
        Expr::MethodCall(call) => {
            let boxes = call.method == "boxed" || call.method == "boxed_local";
            let is_block = matches!(&*call.receiver, Expr::Async(_));
            (boxes && is_block).then_some(&mut *call.receiver)
        }
        _ => None,
    }
}

/// Returns a statement that fixes a block's return type, so that values are coerced to it as the function's signature
/// would. Returns `None` if the type cannot be named.
fn typed(output: &Type) -> Option<TokenStream> {
    if matches!(output, Type::Never(_)) || has_impl(output.to_token_stream()) {
        return None;
    }
    let value = Ident::new("output", Span::mixed_site());
    Some(quote! {
        #[allow(clippy::all, clippy::pedantic, unreachable_code)]
        if false {
            let #value: #output = loop {};
            return #value;
        }
    })
}

fn has_impl(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "impl",
        TokenTree::Group(group) => {
            group.delimiter() != Delimiter::Brace && has_impl(group.stream())
        }
        _ => false,
    })
}

/// Returns the output type of a future or boxed future: the `T` in `Future<Output = T>`.
fn future_output(of: &Type) -> Option<&Type> {
    match of {
        Type::Path(of) => output_in(&of.path),
        Type::ImplTrait(of) => of.bounds.iter().find_map(output_in_bound),
        Type::TraitObject(of) => of.bounds.iter().find_map(output_in_bound),
        Type::Paren(of) => future_output(&of.elem),
        Type::Group(of) => future_output(&of.elem),
        _ => None,
    }
}

fn output_in_bound(bound: &TypeParamBound) -> Option<&Type> {
    match bound {
        TypeParamBound::Trait(bound) => output_in(&bound.path),
        _ => None,
    }
}

fn output_in(path: &syn::Path) -> Option<&Type> {
    let arguments = path.segments.iter().filter_map(|it| match &it.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    arguments.flatten().find_map(|argument| match argument {
        GenericArgument::Type(of) => future_output(of),
        GenericArgument::AssocType(of) if of.ident == "Output" => Some(&of.ty),
        _ => None,
    })
}
