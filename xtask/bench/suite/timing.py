"""Runs by the clock."""

import time

# Where one run takes more processor time than this, in seconds, one is timed and no more.
LONG = 2.0


def memory(key):
    """Bytes of memory: VmRSS now, VmHWM at most."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


class Runs:
    """Timed runs, after one to warm up; memory counts from here."""

    def __init__(self):
        self.before = memory("VmRSS")

    def take(self, times, once, anew=lambda: None):
        """`once()` does it, so many times, and says how many cells; `anew()` comes before each run, outside the clock.

        The fastest run counts: what else the machine does makes runs slower, never faster."""
        forget_peak()
        timed = []
        while True:
            anew()
            wall, processor = time.perf_counter(), time.process_time()
            cells = once()
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            timed.append((wall, processor, cells))
            if len(timed) == 3 or processor > LONG:
                break
        peak = memory("VmHWM")
        wall, processor = (min(run[index] for run in timed) / times for index in (0, 1))
        return {"wall": wall, "cpu": processor, "cells": timed[-1][2], "peak": max(0, peak - self.before)}
