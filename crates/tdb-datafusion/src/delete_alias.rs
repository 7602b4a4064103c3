//! The alias of the table of a `DELETE`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Delete, Expr, FromTable, Ident, TableFactor, VisitMut, VisitorMut,
};

/// Names the columns of a table that cells are deleted from by its own name: DataFusion 55.2 forgets its alias there.
pub(crate) fn without_alias(delete: &mut Delete) {
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &mut delete.from;
    let [table] = &mut from[..] else {
        return;
    };
    let TableFactor::Table { name, alias, .. } = &mut table.relation else {
        return;
    };
    let last = name.0.last().and_then(|part| part.as_ident()).cloned();
    if let (Some(last), Some(alias)) = (last, alias.take()) {
        let mut named = ByName {
            alias: alias.name,
            name: last,
        };
        let _: ControlFlow<()> = delete.selection.visit(&mut named);
    }
}

/// Puts the name of a table in the place of its alias.
struct ByName {
    alias: Ident,
    name: Ident,
}

impl VisitorMut for ByName {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let Some(first) = parts.first_mut()
            && is_same_name(first, &self.alias)
        {
            *first = self.name.clone();
        }
        ControlFlow::Continue(())
    }
}

/// Whether two names are of the same thing: letters count only in quotes.
fn is_same_name(a: &Ident, b: &Ident) -> bool {
    let plain = |name: &Ident| match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_ascii_lowercase(),
    };
    plain(a) == plain(b)
}
