"""How large the arrays are: in full, or a sixteenth of it for a quick look."""

FULL = dict(
    side=8192, middle=4096, tile=512, small_tile=64, band=50, width=5000, across=500,
    line=128 << 20, bzip2=32 << 20, strings=4_000_000, string_tile=100_000,
    sparse=10_000_000, written=5_000_000, domain=1_000_000, hilbert=5_000_000, keys=2_000_000, mixed=50_000, piece=1000,
)
QUICK = dict(
    side=2048, middle=1024, tile=512, small_tile=64, band=12, width=1250, across=250,
    line=8 << 20, bzip2=2 << 20, strings=250_000, string_tile=25_000,
    sparse=625_000, written=312_500, domain=250_000, hilbert=312_500, keys=125_000, mixed=3_125, piece=100,
)
SCALES = {"full": FULL, "quick": QUICK}
FRAGMENTS, MIXED, DELETES, KEYS = 1000, 100, 10, 1000
EXTENT, CAPACITY = 10_000, 10_000
SECRET = "an array's key of 32 characters."
