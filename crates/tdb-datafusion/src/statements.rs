//! Parses statements, and corrects what sqlparser 0.62 parses differently from the standard and what DataFusion plans
//! differently than intended here.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use datafusion::common::Result;
use datafusion::sql::parser::{CopyToSource, DFParserBuilder, Statement};
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, Query, SelectItem, SetExpr, Statement as SqlStatement,
    UnaryOperator, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::checked::NEGATIVE;
use crate::delete_alias::without_alias;

/// `IS DISTINCT FROM` as an operator; the tokenizer never produces this name.
const DISTINCT: &str = "IS DISTINCT FROM";

/// `IS NOT DISTINCT FROM` as an operator.
const NOT_DISTINCT: &str = "IS NOT DISTINCT FROM";

/// Parses statements, which are separated by semicolons.
pub(crate) fn parse(sql: &str) -> Result<VecDeque<Statement>> {
    let dialect = GenericDialect {};
    let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location();
    let tokens = with_times(with_operators(tokens.map_err(ParserError::from)?));
    let mut parser = DFParserBuilder::new(tokens)
        .with_dialect(&dialect)
        .build()?;
    let mut statements = parser.parse_statements()?;
    // Replace the placeholders in the expressions.
    for statement in &mut statements {
        visit(statement, &mut Mender);
    }
    Ok(statements)
}

/// Replaces all words of `IS [NOT] DISTINCT FROM` by one operator token.
///
/// sqlparser 0.62 takes everything after these words as the right operand, including `AND` and `OR`. A custom
/// operator has the precedence of `IS`, and gets the right operands; [`mend_one`] converts it back.
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

/// Returns the operator at the start of the tokens, and the rest.
fn distinct(tokens: &[TokenWithSpan]) -> Option<(&'static str, &[TokenWithSpan])> {
    let rest = behind(tokens, Keyword::IS)?;
    let (name, rest) = match behind(rest, Keyword::NOT) {
        Some(rest) => (NOT_DISTINCT, rest),
        None => (DISTINCT, rest),
    };
    let rest = behind(behind(rest, Keyword::DISTINCT)?, Keyword::FROM)?;
    Some((name, rest))
}

/// Merges the time of a table into its name: `a FOR SYSTEM_TIME AS OF '2024-01-31'` becomes one name, which no real
/// table has.
///
/// The dialect of sqlparser that accepts most other syntax does not accept these words; [`crate::tables`] resolves
/// the name.
fn with_times(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut named: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut rest = &tokens[..];
    while let Some((first, others)) = rest.split_first() {
        rest = match (named.last_mut().and_then(name_in), time(rest)) {
            (Some(name), Some((time, behind))) => {
                name.push_str(AS_OF);
                name.push_str(&time);
                behind
            }
            _ => {
                named.push(first.clone());
                others
            }
        };
    }
    named
}

/// Separator between the name of a table and its time.
pub(crate) const AS_OF: &str = " FOR SYSTEM_TIME AS OF ";

/// Returns the text of a token that can be a name.
fn name_in(token: &mut TokenWithSpan) -> Option<&mut String> {
    match &mut token.token {
        Token::Word(word) => Some(&mut word.value),
        Token::SingleQuotedString(text) => Some(text),
        _ => None,
    }
}

/// Returns the time of a table at the start of the tokens, and the rest.
fn time(tokens: &[TokenWithSpan]) -> Option<(String, &[TokenWithSpan])> {
    let words = [Keyword::FOR, Keyword::SYSTEM_TIME, Keyword::AS, Keyword::OF];
    let rest = words.into_iter().try_fold(tokens, behind)?;
    let rest = behind(rest, Keyword::TIMESTAMP)
        .or_else(|| behind(rest, Keyword::DATE))
        .unwrap_or(rest);
    let (first, rest) = without_space(rest).split_first()?;
    match &first.token {
        Token::SingleQuotedString(text) | Token::Number(text, _) => Some((text.clone(), rest)),
        _ => None,
    }
}

/// Returns the tokens after a keyword if they begin with it.
fn behind(tokens: &[TokenWithSpan], keyword: Keyword) -> Option<&[TokenWithSpan]> {
    let (first, rest) = without_space(tokens).split_first()?;
    let is_it = matches!(&first.token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none());
    is_it.then_some(rest)
}

fn without_space(tokens: &[TokenWithSpan]) -> &[TokenWithSpan] {
    let is_space = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_));
    let start = tokens.iter().position(|token| !is_space(token));
    start.and_then(|start| tokens.get(start..)).unwrap_or(&[])
}

/// Applies a visitor to all queries and names of a statement.
pub(crate) fn visit(statement: &mut Statement, visitor: &mut impl VisitorMut<Break = ()>) {
    let _: ControlFlow<()> = match statement {
        Statement::Statement(statement) => statement.visit(visitor),
        Statement::CopyTo(copy) => match &mut copy.source {
            CopyToSource::Query(query) => query.visit(visitor),
            CopyToSource::Relation(name) => visitor.pre_visit_relation(name),
        },
        Statement::Explain(explain) => {
            visit(&mut explain.statement, visitor);
            ControlFlow::Continue(())
        }
        Statement::CreateExternalTable(_) | Statement::Reset(_) => ControlFlow::Continue(()),
    };
}

/// Visitor that corrects statements after parsing.
struct Mender;

impl VisitorMut for Mender {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &mut SqlStatement) -> ControlFlow<()> {
        if let SqlStatement::Delete(delete) = statement {
            without_alias(delete);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        name_as_typed(&mut query.body);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        mend_one(expr);
        ControlFlow::Continue(())
    }
}

/// Names computed columns as they are typed. DataFusion's own names contain the URI of the array, omit casts, and
/// must not repeat.
fn name_as_typed(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => {
            let mut taken = HashSet::new();
            for item in &mut select.projection {
                let SelectItem::UnnamedExpr(expr) = item else {
                    continue;
                };
                let (text, is_field) = match field(expr) {
                    Some(name) => (name, true),
                    None => (expr.to_string(), false),
                };
                let mut name = text.clone();
                let mut number = 0_u64;
                while !taken.insert(name.clone()) {
                    number += 1;
                    name = format!("{text}:{number}");
                }
                if is_field && number == 0 {
                    continue;
                }
                *item = SelectItem::ExprWithAlias {
                    expr: expr.clone(),
                    alias: Ident::with_quote('"', name),
                };
            }
        }
        SetExpr::SetOperation { left, right, .. } => {
            name_as_typed(left);
            name_as_typed(right);
        }
        SetExpr::Query(query) => name_as_typed(&mut query.body),
        _ => {}
    }
}

/// Returns the name of an expression that is a field, with or without a cast.
fn field(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Cast { expr, .. } | Expr::Nested(expr) => field(expr),
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => Some(expr.to_string()),
        _ => None,
    }
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

/// Returns the function call for the sign `-`, which the planner offers no way to replace.
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

    /// Returns the parsed columns of a query as text.
    fn meant(sql: &str) -> String {
        let statements = parse(&format!("select {sql}")).unwrap();
        let text = statements[0].to_string();
        text.trim_start_matches("SELECT ").to_owned()
    }

    /// Formats an expression with all parentheses.
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
        let [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] =
            &select.projection[..]
        else {
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
            meant(&format!("{nested} as x")),
            "CASE WHEN a IS DISTINCT FROM b AND c THEN 1 ELSE 2 END AS x"
        );
    }

    #[test]
    fn a_table_of_a_time_is_one_name() {
        let from = |sql: &str| meant(&format!("x from {sql}")).replace("x FROM ", "");
        assert_eq!(
            from(
                "'a b' for\nsystem_time AS of '2024-01-31' as old, s.c FOR system_time as of 17 x"
            ),
            "'a b FOR SYSTEM_TIME AS OF 2024-01-31' AS old, s.c FOR SYSTEM_TIME AS OF 17 x"
        );
        assert_eq!(
            from("a for system_time as of timestamp '2024-01-31 10:00:00' where b"),
            "a FOR SYSTEM_TIME AS OF 2024-01-31 10:00:00 WHERE b"
        );
        assert!(parse("select 1 from a for system_time as of now()").is_err());
    }

    #[test]
    fn columns_that_are_no_fields_are_called_as_they_are_typed() {
        assert_eq!(
            meant("x / 2, t.y, max(z)::int, y as b, x::int"),
            "x / 2 AS \"x / 2\", t.y, max(z)::INT AS \"max(z)::INT\", y AS b, x::INT"
        );
        assert_eq!(
            meant("1, 1, x, x::double"),
            "1 AS \"1\", 1 AS \"1:1\", x, x::DOUBLE AS \"x:1\""
        );
    }

    #[test]
    fn signs_of_literals_stay_and_others_are_functions() {
        assert_eq!(
            meant("-1 as a, -x, - interval '1 day' as c, -(2) as d"),
            "-1 AS a, exact_negative(x) AS \"-x\", -INTERVAL '1 day' AS c, exact_negative((2)) AS d"
        );
    }
}
