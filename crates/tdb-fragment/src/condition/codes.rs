use tdb_tile::Code;

/// The comparison of a field with a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the usual comparisons")]
pub enum ConditionOp {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    #[default]
    Equal,
    NotEqual,
    /// Equal to at least one of several values.
    In,
    /// Equal to none of several values.
    NotIn,
    /// True for every cell, null or not.
    AlwaysTrue,
    /// False for every cell.
    AlwaysFalse,
}

impl Code for ConditionOp {
    const WHAT: &'static str = "condition operator";

    fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Less,
            1 => Self::LessOrEqual,
            2 => Self::Greater,
            3 => Self::GreaterOrEqual,
            4 => Self::Equal,
            5 => Self::NotEqual,
            6 => Self::In,
            7 => Self::NotIn,
            253 => Self::AlwaysTrue,
            254 => Self::AlwaysFalse,
            _ => return None,
        })
    }

    fn code(self) -> u8 {
        match self {
            Self::Less => 0,
            Self::LessOrEqual => 1,
            Self::Greater => 2,
            Self::GreaterOrEqual => 3,
            Self::Equal => 4,
            Self::NotEqual => 5,
            Self::In => 6,
            Self::NotIn => 7,
            Self::AlwaysTrue => 253,
            Self::AlwaysFalse => 254,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::In => "in",
            Self::NotIn => "not in",
            Self::AlwaysTrue => "always true",
            Self::AlwaysFalse => "always false",
        }
    }
}

impl ConditionOp {
    /// True if the operator takes several values rather than one.
    #[must_use]
    pub fn takes_members(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }

    /// Returns the operator that is true where this one is false, except for nulls.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::In => Self::NotIn,
            Self::NotIn => Self::In,
            Self::AlwaysTrue => Self::AlwaysFalse,
            Self::AlwaysFalse => Self::AlwaysTrue,
        }
    }
}

/// The way in which the parts of an expression combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Combine {
    /// All parts must be true.
    #[default]
    And,
    /// At least one part must be true.
    Or,
    /// The only part must be false. TileDB never stores this: it negates the operators instead.
    Not,
}

impl Code for Combine {
    const WHAT: &'static str = "condition combination";

    fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::And),
            1 => Some(Self::Or),
            2 => Some(Self::Not),
            _ => None,
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::And => 0,
            Self::Or => 1,
            Self::Not => 2,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
        }
    }
}
