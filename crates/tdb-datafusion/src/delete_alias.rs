//! Table aliases in `DELETE`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Delete, Expr, FromTable, Ident, TableFactor, VisitMut, VisitorMut,
};

/// Replaces the alias of the table in a `DELETE` by the table's name: DataFusion 55.2 loses the alias.
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

/// Visitor that replaces an alias by the name of the table.
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

/// True if two names are the same: case matters only in quotes.
fn is_same_name(a: &Ident, b: &Ident) -> bool {
    let plain = |name: &Ident| match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_ascii_lowercase(),
    };
    plain(a) == plain(b)
}
