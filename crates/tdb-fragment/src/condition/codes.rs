use tdb_tile::Code;

/// How a field is compared with a value.
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
    /// Equal to one of several values.
    In,
    /// Equal to none of several values.
    NotIn,
    /// Whatever the cell holds, null too.
    AlwaysTrue,
    /// Whatever the cell holds.
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
    /// Whether it takes several values rather than one.
    #[must_use]
    pub fn takes_members(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }

    /// The operator that holds where this one does not, nulls apart.
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

/// How the parts of an expression combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Combine {
    /// All must hold.
    #[default]
    And,
    /// At least one must hold.
    Or,
    /// The only part must not hold. TileDB stores none of these: it negates the operators instead.
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
