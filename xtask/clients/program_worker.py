"""Runs programs that come as lines of JSON, each in a process and a folder of its own, and prints what their steps find,
a line for each step. Steps that take too long, or end the process, are told as that."""

import json
import os
import shutil
import signal
import sys
import tempfile
import warnings

#: Seconds that a program may take, and those of a processor: the machine may be busy.
LIMIT, WORK = 240, 30


def run_program(steps, folder, out):
    from programs.running import Runner

    warnings.simplefilter("ignore")
    runner = Runner(folder)
    for step in steps:
        out.write(json.dumps(runner.run(step), sort_keys=False) + "\n")
        out.flush()


def run_apart(steps):
    """Runs a program in a child, and returns the lines that it wrote and how it ended."""
    folder = tempfile.mkdtemp(prefix="program-")
    folder = os.path.realpath(folder)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LIMIT)
        signal.setitimer(signal.ITIMER_PROF, WORK)
        silent = os.open(os.devnull, os.O_WRONLY)
        said = os.open(os.path.join(folder, "stderr"), os.O_WRONLY | os.O_CREAT)
        os.dup2(silent, 1)
        os.dup2(said, 2)
        try:
            with os.fdopen(writing, "w") as out:
                run_program(steps, os.path.join(folder, "arrays"), out)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(3)
        os._exit(0)
    os.close(writing)
    os.makedirs(os.path.join(folder, "arrays"), exist_ok=True)
    with os.fdopen(reading) as lines:
        found = lines.read().splitlines()
    _, status = os.waitpid(child, 0)
    end = None
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        end = "hangs" if number in (signal.SIGALRM, signal.SIGPROF) else "ends by signal %d" % number
    elif os.WEXITSTATUS(status) != 0:
        end = "ends with code %d" % os.WEXITSTATUS(status)
    with open(os.path.join(folder, "stderr"), errors="replace") as said:
        text = said.read()
    shutil.rmtree(folder, ignore_errors=True)
    return {"lines": [json.loads(line) for line in found], "end": end, "stderr": text[-2000:]}


def main():
    # Loaded once for all children.
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401
    import tiledb  # noqa: F401
    import tiledb.sparse_array  # noqa: F401
    from tiledb import dense_array, multirange_indexing, query, query_condition, subarray  # noqa: F401

    from programs import running  # noqa: F401

    for line in sys.stdin:
        print(json.dumps(run_apart(json.loads(line))), flush=True)


main()
