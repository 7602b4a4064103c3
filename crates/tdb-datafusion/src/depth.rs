//! Limits the depth of the expressions of a statement: parser, planner and everything made of a chain of operators
//! recurse as deep as the chain is long.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

use crate::error::SqlError;

/// Maximum number of operators of a statement.
const MOST_OPERATORS: usize = 2_000;

/// Fails for statements with more operators than the stack of a thread has room for.
pub(crate) fn check(sql: &str) -> Result<(), SqlError> {
    // Text that is not SQL: the parser reports it better.
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize() else {
        return Ok(());
    };
    let mut operators = 0_usize;
    let mut is_behind_value = false;
    for token in tokens {
        match &token {
            Token::Whitespace(_) => continue,
            Token::SemiColon => operators = 0,
            token if joins(token, is_behind_value) => operators += 1,
            _ => {}
        }
        if operators > MOST_OPERATORS {
            return Err(SqlError::Statement {
                what: format!("a statement has more than {MOST_OPERATORS} operators"),
                hint: Some("say `in (…)`, or join with a table of the values".to_owned()),
                column: None,
            });
        }
        is_behind_value = match &token {
            Token::Number(..) | Token::SingleQuotedString(_) | Token::RParen => true,
            Token::Word(word) => word.keyword == Keyword::NoKeyword,
            _ => false,
        };
    }
    Ok(())
}

/// True if a token joins the operands before and after it; a sign does not.
fn joins(token: &Token, is_behind_value: bool) -> bool {
    match token {
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::AND
                | Keyword::OR
                | Keyword::NOT
                | Keyword::UNION
                | Keyword::EXCEPT
                | Keyword::INTERSECT
                | Keyword::JOIN
                | Keyword::WHEN
        ),
        Token::Plus | Token::Minus => is_behind_value,
        Token::Mul | Token::Div | Token::Mod | Token::StringConcat => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_bounded_and_lists_are_not() {
        let chain = |joint: &str| format!("select 1{}", joint.repeat(3_000));
        for joint in [" + 1", " or 1", " - 1", " union select 1"] {
            assert!(check(&chain(joint)).is_err(), "{joint}");
        }
        assert!(check(&chain(", -1")).is_ok());
        assert!(check(&"select 1 + 1;".repeat(3_000)).is_ok());
    }
}
