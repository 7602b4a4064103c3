"""Dates and times of every unit, as numpy and pyarrow understand them."""

import numpy
import pyarrow as pa

# numpy's letters for the units of datatypes.
LETTERS = {
    "year": "Y", "month": "M", "week": "W", "day": "D", "hr": "h", "min": "m", "sec": "s",
    "ms": "ms", "us": "us", "ns": "ns", "ps": "ps", "fs": "fs", "as": "as",
}
DATES = ["datetime_" + unit for unit in LETTERS]
LENGTHS = ["time_" + unit for unit in list(LETTERS)[4:]]
# The number that stands for no time.
NONE = -(1 << 63)
NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1, "D": 86_400 * 10**9}
# Digits behind the second.
DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}


def letters(datatype):
    return LETTERS[datatype.split("_")[1]]


def in_nanoseconds(column):
    """The values of a column of dates or times, of any unit that pyarrow has, as nanoseconds."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    type_ = column.type
    unit = "D" if pa.types.is_date32(type_) else "ms" if pa.types.is_date64(type_) else type_.unit
    is_short = pa.types.is_date32(type_) or pa.types.is_time32(type_)
    ticks = column.view(pa.int32() if is_short else pa.int64()).to_pylist()
    return [None if tick is None else tick * NANOSECONDS[unit] for tick in ticks]


def text(datatype, ticks):
    """A date as numpy writes it, with the year's sign as ISO 8601 has it; a length of time as a clock shows it."""
    if ticks is None or ticks == NONE:
        return None
    unit = letters(datatype)
    if datatype.startswith("time"):
        return length_text(unit, ticks)
    written = str(numpy.datetime64(ticks, unit))
    sign, written = ("-", written[1:]) if written.startswith("-") else ("", written)
    year, dash, rest = written.partition("-")
    year = "%04d" % int(year)
    return (sign or "+" * (len(year) > 4)) + year + dash + rest


def length_text(unit, ticks):
    digits = DIGITS.get(unit, 0)
    seconds, fraction = divmod(abs(ticks) * {"h": 3600, "m": 60}.get(unit, 1), 10**digits)
    parts = ["%02d" % (seconds // 3600), "%02d" % (seconds // 60 % 60)]
    if unit not in "hm":
        parts.append("%02d" % (seconds % 60) + (".%0*d" % (digits, fraction) if digits else ""))
    return "-" * (ticks < 0) + ":".join(parts)


# ---- what Arrow makes of them -------------------------------------------------------


def first_days(datatype, ticks):
    """The days of 1970 and later with which periods begin, by numpy."""
    return numpy.array(ticks, "int64").view("datetime64[%s]" % letters(datatype)).astype("datetime64[D]").astype("int64").tolist()


def limits(datatype):
    """The least and the greatest ticks that Parquet has a place for."""
    unit = letters(datatype)
    least, greatest = NONE + 1, (1 << 63) - 1
    if datatype.startswith("datetime") and unit in "YMWD":
        # Days are counted in 32 bits. The period that the least day lies in may begin before it.
        days = numpy.array([-(1 << 31), (1 << 31) - 1], "datetime64[D]")
        low, high = days.astype("datetime64[%s]" % unit).astype("int64").tolist()
        return low if first_days(datatype, [low])[0] >= -(1 << 31) else low + 1, high
    times = milliseconds(datatype)
    # What is left of the least number is that of no time.
    return -(greatest // times), greatest // times


def milliseconds(datatype):
    """Of a tick of the datetimes that Parquet counts in milliseconds; of all else one."""
    return {"datetime_hr": 3_600_000, "datetime_min": 60_000, "datetime_sec": 1_000}.get(datatype, 1)


def in_arrow(datatype, ticks, seconds):
    """What stands in a column of Arrow, where timestamps of seconds are those or milliseconds."""
    if datatype.startswith("datetime") and letters(datatype) in "YMWD":
        known = first_days(datatype, [0 if tick in (None, NONE) else tick for tick in ticks])
        return [None if tick in (None, NONE) else day for tick, day in zip(ticks, known)]
    times = milliseconds(datatype)
    times = times // 1_000 if seconds and times > 1 else times
    return [tick if tick in (None, NONE) else tick * times for tick in ticks]
