"""Arrays of many fragments in an object store: `far.py LIBRARY RECIPES FOLDER list | make | ask NAME | run PROGRAM ARGUMENT...`.

`list` prints what is asked of which array; `make` makes those of `growth.py`, and the same with consolidated metadata; `ask` has
TileDB open and read, `run` a program; both print seconds by the clock. Settings of the store come from the environment.
"""

import json
import os
import shutil
import subprocess
import sys
import time

LIBRARY, RECIPES, FOLDER = sys.argv[1:4]
sys.path.append(RECIPES)

import capi
import growth
from answers import Asking
from making import make_array, once
from sizes import SCALES

COUNTS = [1, 10, 100, 1000, 10**4]
BOX = {"y": [[0, growth.DOMAIN // 100 - 1]]}


def workloads():
    made = {}
    for count in COUNTS:
        for kind, array in (("plain", "g_frag_%d" % count), ("consolidated", "g_fragc_%d" % count)):
            # Each has a bucket of its own: the server looks through all objects of one for each listing.
            bucket = array.replace("_", "-")
            uri = "s3://%s/array" % bucket
            box = ["agg", uri, "count(*), sum(a)", "--json", "--range", "y=%d..%d" % tuple(BOX["y"][0])]
            common = dict(count=count, metadata=kind, array=array, bucket=bucket, uri=uri)
            made["open:%s:%d" % (kind, count)] = dict(common, what="open", arguments=["info", uri, "--json"])
            made["box:%s:%d" % (kind, count)] = dict(common, what="box", arguments=box)
    return made


def make():
    lib = capi.Library(LIBRARY, {})
    for count in COUNTS:
        plain, consolidated = (os.path.join(FOLDER, "full", "g_frag%s_%d" % (ending, count)) for ending in ("", "c"))
        once(plain, lambda part: make_array(LIBRARY, os.path.basename(plain), part, SCALES["full"]))
        once(consolidated, lambda part: consolidate(lib, plain, part))


def consolidate(lib, plain, path):
    shutil.copytree(plain, path, copy_function=os.link)
    for mode in ("commits", "fragment_meta"):
        lib.consolidate(path, mode)
        lib.vacuum(path, mode)


def ask(name):
    workload = workloads()[name]
    lib = capi.Library(LIBRARY, {"sm.mem.total_budget": 10 << 30})
    asking = Asking(lib, growth.specs()["g_frag_%d" % workload["count"]], ["y", "a"])
    asking.reserve(1 << 20, 0)

    def once():
        opened = lib.open(workload["uri"], capi.READ)
        if workload["what"] == "box":
            asking.submit(asking.query(opened, "any", BOX, None))

    timed(once)


def timed(work):
    started, processor = time.perf_counter(), time.process_time()
    work()
    print(json.dumps({"wall": time.perf_counter() - started, "cpu": time.process_time() - processor}), flush=True)
    os._exit(0)


def main():
    verb, rest = sys.argv[4], sys.argv[5:]
    if verb == "list":
        print(json.dumps(workloads()))
    elif verb == "make":
        make()
    elif verb == "ask":
        ask(*rest)
    else:
        timed(lambda: subprocess.run(rest, check=True, stdout=subprocess.DEVNULL))


main()
