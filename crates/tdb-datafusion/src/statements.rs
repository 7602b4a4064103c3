//! The statements of a text, with what sqlparser 0.62 takes otherwise than the standard has it, and what DataFusion plans otherwise than
//! here is meant.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use datafusion::common::Result;
use datafusion::sql::parser::{CopyToSource, DFParserBuilder, Statement};
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, Query, SelectItem, SetExpr, UnaryOperator, VisitMut,
    VisitorMut, visit_expressions_mut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::checked::NEGATIVE;

/// `IS DISTINCT FROM` as an operator, whose name nobody can type as one.
const DISTINCT: &str = "IS DISTINCT FROM";

/// `IS NOT DISTINCT FROM` as an operator.
const NOT_DISTINCT: &str = "IS NOT DISTINCT FROM";

/// The statements, which semicolons end.
pub(crate) fn parse(sql: &str) -> Result<VecDeque<Statement>> {
    let dialect = GenericDialect {};
    let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location();
    let tokens = with_operators(tokens.map_err(ParserError::from)?);
    let mut parser = DFParserBuilder::new(tokens)
        .with_dialect(&dialect)
        .build()?;
    let mut statements = parser.parse_statements()?;
    statements.iter_mut().for_each(mend);
    Ok(statements)
}

/// The tokens, with one for all words of `IS [NOT] DISTINCT FROM`.
///
/// sqlparser 0.62 takes all that follows these words for what is compared, `AND` and `OR`, too. As operators of the user's own, which
/// have the precedence of `IS` to what is around them, they take what belongs to them; [`mend`] makes of them what they are.
fn with_operators(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut joined = Vec::with_capacity(tokens.len());
    let mut rest = &tokens[..];
    while let Some((first, others)) = rest.split_first() {
        let (name, behind) = match distinct(rest) {
            Some(found) => found,
            None => {
                joined.push(first.clone());
                rest = others;
                continue;
            }
        };
        let operator = Token::CustomBinaryOperator(name.to_owned());
        joined.push(TokenWithSpan::new(operator, first.span));
        rest = behind;
    }
    joined
}

/// The operator with which tokens begin, and what follows it.
fn distinct(tokens: &[TokenWithSpan]) -> Option<(&'static str, &[TokenWithSpan])> {
    let rest = behind(tokens, Keyword::IS)?;
    let (name, rest) = match behind(rest, Keyword::NOT) {
        Some(rest) => (NOT_DISTINCT, rest),
        None => (DISTINCT, rest),
    };
    let rest = behind(behind(rest, Keyword::DISTINCT)?, Keyword::FROM)?;
    Some((name, rest))
}

/// What follows a word, if tokens begin with it.
fn behind(tokens: &[TokenWithSpan], keyword: Keyword) -> Option<&[TokenWithSpan]> {
    let is_space = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_));
    let start = tokens.iter().position(|token| !is_space(token))?;
    let (first, rest) = tokens.get(start..)?.split_first()?;
    let is_it = matches!(&first.token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none());
    is_it.then_some(rest)
}

/// Makes expressions of a statement what they mean here.
fn mend(statement: &mut Statement) {
    match statement {
        Statement::Statement(statement) => mend_all(&mut **statement),
        Statement::CopyTo(copy) => {
            if let CopyToSource::Query(query) = &mut copy.source {
                mend_all(&mut **query);
            }
        }
        Statement::Explain(explain) => mend(&mut explain.statement),
        Statement::CreateExternalTable(table) => mend_all(&mut table.columns),
        Statement::Reset(_) => {}
    }
}

fn mend_all(part: &mut impl VisitMut) {
    let _ = part.visit(&mut Mender);
}

/// Mends what it is led to.
struct Mender;

impl VisitorMut for Mender {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        name_alike(&mut query.body);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        mend_one(expr);
        ControlFlow::Continue(())
    }
}

/// Names columns that would have the name of one before: DataFusion leaves casts out of names, and takes no name twice.
fn name_alike(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => {
            let mut taken = HashSet::new();
            for item in &mut select.projection {
                let SelectItem::UnnamedExpr(expr) = item else {
                    continue;
                };
                if taken.insert(without_casts(expr)) {
                    continue;
                }
                let text = expr.to_string();
                let mut name = text.clone();
                let mut number = 0_u64;
                while !taken.insert(name.clone()) {
                    number = number.saturating_add(1);
                    name = format!("{text}:{number}");
                }
                *item = SelectItem::ExprWithAlias {
                    expr: expr.clone(),
                    alias: Ident::with_quote('"', name),
                };
            }
        }
        SetExpr::SetOperation { left, right, .. } => {
            name_alike(left);
            name_alike(right);
        }
        _ => {}
    }
}

/// An expression as DataFusion names its column.
fn without_casts(expr: &Expr) -> String {
    let mut bare = expr.clone();
    let _: ControlFlow<()> = visit_expressions_mut(&mut bare, |expr| {
        if let Expr::Cast { expr: of, .. } | Expr::Nested(of) = expr {
            let of = std::mem::replace(&mut **of, Expr::Identifier(Ident::new("")));
            *expr = of;
        }
        ControlFlow::Continue(())
    });
    bare.to_string()
}

fn mend_one(expr: &mut Expr) {
    let nothing = || Box::new(Expr::Identifier(Ident::new("")));
    match expr {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Custom(name),
            right,
        } if [DISTINCT, NOT_DISTINCT].contains(&&**name) => {
            let left = std::mem::replace(left, nothing());
            let right = std::mem::replace(right, nothing());
            *expr = if name == DISTINCT {
                Expr::IsDistinctFrom(left, right)
            } else {
                Expr::IsNotDistinctFrom(left, right)
            };
        }
        // The sign of a literal is a part of it.
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr: of,
        } if !matches!(**of, Expr::Value(_) | Expr::Interval(_)) => {
            let of = std::mem::replace(of, nothing());
            *expr = negative(*of);
        }
        _ => {}
    }
}

/// The function that stands for the sign `-`, which the planner has no place to replace.
fn negative(of: Expr) -> Expr {
    let args = FunctionArgumentList {
        duplicate_treatment: None,
        args: vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(of))],
        clauses: Vec::new(),
    };
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(NEGATIVE)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(args),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::ast::Statement as Parsed;

    use super::*;

    /// The columns of a query, as they are told.
    fn meant(sql: &str) -> String {
        let statements = parse(&format!("select {sql}")).unwrap();
        let text = statements[0].to_string();
        text.trim_start_matches("SELECT ").to_owned()
    }

    /// An expression with all parentheses.
    fn tree(expr: &Expr) -> String {
        match expr {
            Expr::Nested(of) => tree(of),
            Expr::BinaryOp { left, op, right } => format!("({} {op} {})", tree(left), tree(right)),
            Expr::UnaryOp { op, expr } => format!("({op} {})", tree(expr)),
            Expr::IsDistinctFrom(left, right) => {
                format!("({} DISTINCT {})", tree(left), tree(right))
            }
            Expr::IsNotDistinctFrom(left, right) => {
                format!("({} SAME {})", tree(left), tree(right))
            }
            Expr::Between {
                expr, low, high, ..
            } => format!("({} BETWEEN {} AND {})", tree(expr), tree(low), tree(high)),
            other => other.to_string(),
        }
    }

    fn tree_of(sql: &str) -> String {
        let statement = parse(&format!("select {sql}")).unwrap().pop_front();
        let Some(Statement::Statement(parsed)) = statement else {
            panic!("{sql}");
        };
        let Parsed::Query(query) = *parsed else {
            panic!("{sql}");
        };
        let SetExpr::Select(select) = *query.body else {
            panic!("{sql}");
        };
        let [SelectItem::UnnamedExpr(expr)] = &select.projection[..] else {
            panic!("{sql}");
        };
        tree(expr)
    }

    #[test]
    fn distinct_from_binds_stronger_than_and_or_and_not() {
        for (typed, means) in [
            ("a is distinct from b and c", "((a DISTINCT b) AND c)"),
            (
                "a is distinct from b or c and d",
                "((a DISTINCT b) OR (c AND d))",
            ),
            (
                "c and a is not distinct from b or d",
                "((c AND (a SAME b)) OR d)",
            ),
            (
                "not a is distinct from b and c",
                "((NOT (a DISTINCT b)) AND c)",
            ),
            (
                "a is distinct from b + 1 and c",
                "((a DISTINCT (b + 1)) AND c)",
            ),
            ("a + 1 is distinct from b", "((a + 1) DISTINCT b)"),
            (
                "a is distinct from b = c or d",
                "((a DISTINCT (b = c)) OR d)",
            ),
            (
                "x between 1 and 2 and a is distinct from b and c",
                "(((x BETWEEN 1 AND 2) AND (a DISTINCT b)) AND c)",
            ),
            (
                "a IS\n NOT /* x */ DISTINCT\tFROM b AND c",
                "((a SAME b) AND c)",
            ),
            ("(a is distinct from (b and c))", "(a DISTINCT (b AND c))"),
        ] {
            assert_eq!(tree_of(typed), means, "{typed}");
        }
        let nested = "case when a is distinct from b and c then 1 else 2 end";
        assert_eq!(
            meant(nested),
            "CASE WHEN a IS DISTINCT FROM b AND c THEN 1 ELSE 2 END"
        );
    }

    #[test]
    fn columns_that_would_be_called_alike_get_names() {
        assert_eq!(
            meant("x / 2, x::double / 2, y"),
            "x / 2, x::DOUBLE / 2 AS \"x::DOUBLE / 2\", y"
        );
        assert_eq!(
            meant("1, 1, 1, a as b"),
            "1, 1 AS \"1:1\", 1 AS \"1:2\", a AS b"
        );
    }

    #[test]
    fn signs_of_literals_stay_and_others_are_functions() {
        assert_eq!(
            meant("-1, -x, - interval '1 day', -(2)"),
            "-1, exact_negative(x), -INTERVAL '1 day', exact_negative((2))"
        );
    }
}
