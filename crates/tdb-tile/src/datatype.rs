use std::cmp::Ordering;
use std::fmt;

use crate::{Code, Scalar};

macro_rules! datatypes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal, $physical:ident;)*) => {
        /// The datatype of a field's values; stored as one byte.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[repr(u8)]
        pub enum Datatype {
            $($(#[$doc])* $name = $code,)*
        }

        impl Datatype {
            /// All datatypes, in the order of their codes.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The Rust number type that holds one value.
            #[must_use]
            pub const fn physical(self) -> Physical {
                match self { $(Self::$name => Physical::$physical,)* }
            }
        }

        impl Code for Datatype {
            const WHAT: &'static str = "datatype";

            fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$name),)* _ => None }
            }

            fn code(self) -> u8 {
                self as u8
            }

            fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

datatypes! {
    /// 32-bit signed integer.
    #[default]
    Int32 = 0, "int32", I32;
    /// 64-bit signed integer.
    Int64 = 1, "int64", I64;
    /// 32-bit float.
    Float32 = 2, "float32", F32;
    /// 64-bit float.
    Float64 = 3, "float64", F64;
    /// One signed byte of text in an unspecified encoding.
    Char = 4, "char", I8;
    /// 8-bit signed integer.
    Int8 = 5, "int8", I8;
    /// 8-bit unsigned integer.
    UInt8 = 6, "uint8", U8;
    /// 16-bit signed integer.
    Int16 = 7, "int16", I16;
    /// 16-bit unsigned integer.
    UInt16 = 8, "uint16", U16;
    /// 32-bit unsigned integer.
    UInt32 = 9, "uint32", U32;
    /// 64-bit unsigned integer.
    UInt64 = 10, "uint64", U64;
    /// ASCII text; the only string type that a dimension may have.
    StringAscii = 11, "string_ascii", U8;
    /// UTF-8 text.
    StringUtf8 = 12, "string_utf8", U8;
    /// UTF-16 code units.
    StringUtf16 = 13, "string_utf16", U16;
    /// UTF-32 code units.
    StringUtf32 = 14, "string_utf32", U32;
    /// UCS-2 code units.
    StringUcs2 = 15, "string_ucs2", U16;
    /// UCS-4 code units.
    StringUcs4 = 16, "string_ucs4", U32;
    /// Bytes of any type; var-sized only.
    Any = 17, "any", U8;
    /// Years since 1970.
    DateTimeYear = 18, "datetime_year", I64;
    /// Months since 1970-01.
    DateTimeMonth = 19, "datetime_month", I64;
    /// Weeks since 1970-01-01.
    DateTimeWeek = 20, "datetime_week", I64;
    /// Days since 1970-01-01.
    DateTimeDay = 21, "datetime_day", I64;
    /// Hours since 1970-01-01.
    DateTimeHour = 22, "datetime_hr", I64;
    /// Minutes since 1970-01-01.
    DateTimeMinute = 23, "datetime_min", I64;
    /// Seconds since 1970-01-01.
    DateTimeSecond = 24, "datetime_sec", I64;
    /// Milliseconds since 1970-01-01.
    DateTimeMillisecond = 25, "datetime_ms", I64;
    /// Microseconds since 1970-01-01.
    DateTimeMicrosecond = 26, "datetime_us", I64;
    /// Nanoseconds since 1970-01-01.
    DateTimeNanosecond = 27, "datetime_ns", I64;
    /// Picoseconds since 1970-01-01.
    DateTimePicosecond = 28, "datetime_ps", I64;
    /// Femtoseconds since 1970-01-01.
    DateTimeFemtosecond = 29, "datetime_fs", I64;
    /// Attoseconds since 1970-01-01.
    DateTimeAttosecond = 30, "datetime_as", I64;
    /// A time of day or duration in hours.
    TimeHour = 31, "time_hr", I64;
    /// A time of day or duration in minutes.
    TimeMinute = 32, "time_min", I64;
    /// A time of day or duration in seconds.
    TimeSecond = 33, "time_sec", I64;
    /// A time of day or duration in milliseconds.
    TimeMillisecond = 34, "time_ms", I64;
    /// A time of day or duration in microseconds.
    TimeMicrosecond = 35, "time_us", I64;
    /// A time of day or duration in nanoseconds.
    TimeNanosecond = 36, "time_ns", I64;
    /// A time of day or duration in picoseconds.
    TimePicosecond = 37, "time_ps", I64;
    /// A time of day or duration in femtoseconds.
    TimeFemtosecond = 38, "time_fs", I64;
    /// A time of day or duration in attoseconds.
    TimeAttosecond = 39, "time_as", I64;
    /// Raw bytes.
    Blob = 40, "blob", U8;
    /// One byte, zero or one.
    Bool = 41, "bool", U8;
    /// A geometry as well-known binary.
    GeometryWkb = 42, "geom_wkb", U8;
    /// A geometry as well-known text.
    GeometryWkt = 43, "geom_wkt", U8;
}

/// The Rust number type that holds one value of a [`Datatype`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of Rust's own number types")]
pub enum Physical {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// Writes the name of the Rust type: `i8`, `f64`.
impl fmt::Display for Physical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// Runs an expression with `T` as the Rust type of a datatype's values.
///
/// Code that depends on the Rust type is generic and chosen here, rather than by a `match` of its
/// own.
///
/// ```
/// use tdb_tile::{Datatype, Scalar, with_scalar};
/// let size = with_scalar!(Datatype::DateTimeDay, T => T::SIZE);
/// assert_eq!(size, 8);
/// ```
#[macro_export]
macro_rules! with_scalar {
    ($datatype:expr, $t:ident => $body:expr) => {
        match $crate::Datatype::physical($datatype) {
            $crate::Physical::I8 => {
                type $t = i8;
                $body
            }
            $crate::Physical::U8 => {
                type $t = u8;
                $body
            }
            $crate::Physical::I16 => {
                type $t = i16;
                $body
            }
            $crate::Physical::U16 => {
                type $t = u16;
                $body
            }
            $crate::Physical::I32 => {
                type $t = i32;
                $body
            }
            $crate::Physical::U32 => {
                type $t = u32;
                $body
            }
            $crate::Physical::I64 => {
                type $t = i64;
                $body
            }
            $crate::Physical::U64 => {
                type $t = u64;
                $body
            }
            $crate::Physical::F32 => {
                type $t = f32;
                $body
            }
            $crate::Physical::F64 => {
                type $t = f64;
                $body
            }
        }
    };
}

impl Datatype {
    /// The size of one value in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self.physical() {
            Physical::I8 | Physical::U8 => 1,
            Physical::I16 | Physical::U16 => 2,
            Physical::I32 | Physical::U32 | Physical::F32 => 4,
            Physical::I64 | Physical::U64 | Physical::F64 => 8,
        }
    }

    /// Returns the datatype with this lower-case name, as `tdb schema --json` prints it; `None` if
    /// there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|d| d.name() == name)
    }

    /// True for signed and unsigned integers and for `bool`.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            Self::Bool
                | Self::Int8
                | Self::Int16
                | Self::Int32
                | Self::Int64
                | Self::UInt8
                | Self::UInt16
                | Self::UInt32
                | Self::UInt64
        )
    }

    /// True for points in time, in any unit.
    #[must_use]
    pub const fn is_datetime(self) -> bool {
        self as u8 >= Self::DateTimeYear as u8 && self as u8 <= Self::DateTimeAttosecond as u8
    }

    /// True for times of day or durations, in any unit.
    #[must_use]
    pub const fn is_time(self) -> bool {
        self as u8 >= Self::TimeHour as u8 && self as u8 <= Self::TimeAttosecond as u8
    }

    /// True for the string types; `char` is not one of them.
    #[must_use]
    pub const fn is_string(self) -> bool {
        self as u8 >= Self::StringAscii as u8 && self as u8 <= Self::StringUcs4 as u8
    }

    /// True for floating-point numbers.
    #[must_use]
    pub const fn is_real(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }

    /// True for blobs and geometries.
    #[must_use]
    pub const fn is_byte_like(self) -> bool {
        matches!(self, Self::Blob | Self::GeometryWkb | Self::GeometryWkt)
    }

    /// True if the values are signed integers or floats.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(
            self.physical(),
            Physical::I8
                | Physical::I16
                | Physical::I32
                | Physical::I64
                | Physical::F32
                | Physical::F64
        )
    }

    /// The bytes of one value that fills cells that were never written, unless the schema sets
    /// another fill value.
    #[must_use]
    pub fn default_fill(self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Char | Self::Int8 => i8::MIN.write(&mut out),
            Self::Int16 => i16::MIN.write(&mut out),
            Self::Int32 => i32::MIN.write(&mut out),
            Self::Int64 => i64::MIN.write(&mut out),
            Self::UInt8 => u8::MAX.write(&mut out),
            Self::UInt16 => u16::MAX.write(&mut out),
            Self::UInt32 => u32::MAX.write(&mut out),
            Self::UInt64 => u64::MAX.write(&mut out),
            Self::Float32 => 0x7fc0_0000_u32.write(&mut out),
            Self::Float64 => 0x7ff8_0000_0000_0000_u64.write(&mut out),
            _ if self.is_datetime() || self.is_time() => i64::MIN.write(&mut out),
            _ => out.resize(self.size(), 0),
        }
        out
    }

    /// Compares two values (or strings) of this type as ranges, bounds and conditions do: numbers
    /// by value; strings, `char`, `any`, blobs and geometries as unsigned bytes, with a prefix
    /// before longer strings.
    ///
    /// Returns `None` if a value is NaN or has too few bytes for a number.
    #[must_use]
    pub fn compare(self, a: &[u8], b: &[u8]) -> Option<Ordering> {
        if self.is_string() || self.is_byte_like() || matches!(self, Self::Any | Self::Char) {
            return Some(a.cmp(b));
        }
        with_scalar!(self, T => T::read(a)?.partial_cmp(&T::read(b)?))
    }

    /// Compares any two values for sorting, as a total order.
    ///
    /// The order is that of [`Datatype::compare`], in which both zeros are equal. NaN, whatever its
    /// bits, sorts after all numbers; a value with too few bytes for a number sorts last.
    #[must_use]
    pub fn total_order(self, a: &[u8], b: &[u8]) -> Ordering {
        fn order<T: Scalar>(a: &[u8], b: &[u8]) -> Ordering {
            // Only NaN is not comparable with itself.
            let is_nan = |value: T| value.partial_cmp(&value).is_none();
            match (T::read(a), T::read(b)) {
                (Some(a), Some(b)) => {
                    let order = a.partial_cmp(&b);
                    order.unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
                }
                (a, b) => a.is_none().cmp(&b.is_none()),
            }
        }
        if self.is_string() || self.is_byte_like() || matches!(self, Self::Any | Self::Char) {
            return a.cmp(b);
        }
        with_scalar!(self, T => order::<T>(a, b))
    }
}

impl fmt::Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
