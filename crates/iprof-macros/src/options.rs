//! The options of `#[iprof::instrument(…)]`.

use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::{Error, Expr, LitInt, LitStr, Result, meta};

/// The options of one attribute, each with its span.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) name: Option<(Span, LitStr)>,
    pub(crate) idle: Option<Span>,
    pub(crate) budget: Option<(Span, Expr)>,
    pub(crate) min_lines: Option<(Span, usize)>,
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream) -> Result<Options> {
        let mut options = Options::default();
        let parser = meta::parser(|option| {
            let is = |name| option.path.is_ident(name);
            let span = option.path.get_ident().map(|ident| ident.span());
            let span = span.unwrap_or_else(Span::call_site);
            let is_second = if is("name") {
                let name = option.value()?.parse()?;
                options.name.replace((span, name)).is_some()
            } else if is("idle") {
                options.idle.replace(span).is_some()
            } else if is("budget") {
                let budget = (span, option.value()?.parse()?);
                options.budget.replace(budget).is_some()
            } else if is("min_lines") {
                let lines: LitInt = option.value()?.parse()?;
                let min_lines = (span, lines.base10_parse()?);
                options.min_lines.replace(min_lines).is_some()
            } else {
                return Err(
                    option.error("unknown option; expected name, idle, budget or min_lines")
                );
            };
            if is_second {
                return Err(option.error("option given twice"));
            }
            Ok(())
        });
        parser.parse2(tokens)?;
        if let (Some(_), Some((span, _))) = (options.idle, &options.budget) {
            return Err(Error::new(
                *span,
                "an idle zone cannot have a budget; remove one of the two options",
            ));
        }
        Ok(options)
    }

    /// Checks that the options apply to the kind of item: a single function, or a block or module of functions.
    pub(crate) fn check(&self, is_one_function: bool) -> Result<()> {
        let name = self.name.as_ref().map(|(span, _)| *span);
        let budget = self.budget.as_ref().map(|(span, _)| *span);
        let of_one = name.or(self.idle).or(budget);
        let of_several = self.min_lines.map(|(span, _)| span);
        match (is_one_function, of_one, of_several) {
            (true, _, Some(span)) => {
                let text = "min_lines applies only to impl blocks, traits and modules";
                Err(Error::new(span, text))
            }
            (false, Some(span), _) => {
                Err(Error::new(span, "this option applies only to functions"))
            }
            _ => Ok(()),
        }
    }
}
