"""What releases of older format versions can hold: random specs are cut down to it."""

# The first format version that has it.
FILLS, NULLABLE_DENSE, NULLABLE_SPARSE, TIMES, VALIDITY_FILTERS, STACKED_STRINGS, BOOL = 6, 7, 8, 9, 11, 17, 14
XOR, DELTA, ENUMERATIONS, BLOBS = 16, 19, 20, 22
# Before, offsets of the last cells go wrong where these are empty.
EMPTY_CELLS = 11


def fit(spec, version):
    """The spec as far as a release that writes this format version knows it."""
    nullable = NULLABLE_DENSE if spec["kind"] == "dense" else NULLABLE_SPARSE
    for field in spec["dims"] + spec["attrs"]:
        number, was = field.get("n", 1), field["type"]
        if was.startswith(("blob", "geom")) and version < BLOBS or was == "bool" and version < BOOL:
            field["type"] = "uint8"
        elif was.startswith("time_") and version < TIMES:
            field["type"] = was.replace("time_", "datetime_")
        if version < nullable:
            field.pop("nullable", None)
        if version < FILLS:
            field.pop("fill", None)
        if version < ENUMERATIONS:
            field.pop("enum", None)
        if field["type"] != was or not fits(field.get("filters", []), field["type"], number, version):
            field.pop("filters", None)
    if version < ENUMERATIONS:
        spec.pop("enums", None)
    if version < VALIDITY_FILTERS:
        spec.pop("validity", None)
    if version < BLOBS:
        spec.pop("current", None)
        spec.pop("created", None)
    if version < EMPTY_CELLS:
        spec["empty"] = "nowhere"
    if version < BLOBS and any(attr.get("n") == "var" for attr in spec["attrs"]):
        # They give bytes of other memory, or crash, for var-sized cells of dense arrays in ranges or another order.
        spec["plain_reads"] = True
    return spec


def fits(filters, datatype, number, version):
    names = {one if isinstance(one, str) else one[0] for one in filters}
    text = number == "var" or datatype == "string_ascii"
    if text and names & {"rle", "dictionary"} and version < STACKED_STRINGS:
        return False
    # Older releases corrupt what spans more than half of the numbers when they reduce its width.
    if "bit_width_reduction" in names and version < BLOBS:
        return False
    return not ("xor" in names and version < XOR or "delta" in names and version < DELTA)
