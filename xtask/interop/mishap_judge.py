"""The program, run with little time and little room on the disk, and what is wrong with how it ended."""

import os
import re
import resource
import shlex
import subprocess

# What a command may take. A read that never ends would fill the disk besides.
SECONDS = float(os.environ.get("MISHAP_SECONDS", "10"))
MOST_WRITTEN = 64 << 20

# The exit statuses of a panic, and of a defect that the program noticed itself.
PANIC, DEFECT = 101, 70
SHOWN = 400


class Done:
    """How a command ended; its status is None where it was ended."""

    def __init__(self, status, out, said):
        self.status, self.out, self.said = status, out, said

    @property
    def fault(self):
        """What no command may do, whatever it is asked; None where it ended as it should."""
        if self.status is None:
            return "does not end within %g s" % SECONDS
        if self.status < 0:
            return "ends by signal %d" % -self.status
        if self.status in (PANIC, DEFECT) or "panicked at" in self.said:
            return "status %d: %s" % (self.status, self.said.strip())
        return None

    @property
    def hint(self):
        found = re.search("^hint: (.*)$", self.said, re.M)
        return found[1] if found else ""


class Judge:
    """One case of a kind: what was asked of the program, and what it did wrong."""

    def __init__(self, program, folder, random):
        self.program, self.folder, self.random = program, folder, random
        self.asked, self.refused, self.faults = 0, 0, []
        self.command = ""

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, *arguments, stdin=None, cwd=None):
        """Runs the program; `stdin` is a file's path."""
        command = [self.program, *map(str, arguments)]
        self.command = " ".join(map(shlex.quote, command)) + (" < %s" % stdin if stdin else "")
        paths = [self.path(".out"), self.path(".said")]
        with open(stdin or os.devnull, "rb") as given, open(paths[0], "wb") as out, open(paths[1], "wb") as said:
            running = subprocess.Popen(command, stdin=given, stdout=out, stderr=said, cwd=cwd, preexec_fn=limited)
            try:
                status = running.wait(SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
                status = None
        found = []
        for path in paths:
            with open(path, "rb") as file:
                found.append(file.read())
            os.remove(path)
        return Done(status, found[0], found[1].decode(errors="replace"))

    def ask(self, *arguments, **named):
        """As `run`, of which a bad end is a fault: then nothing is given."""
        self.asked += 1
        done = self.run(*arguments, **named)
        if done.fault:
            self.fault(done.fault)
            return None
        self.refused += done.status != 0
        return done

    def fault(self, what):
        self.faults.append("%s\n    %s" % (shown(what), self.command))

    def same(self, what, ours, wanted):
        if ours != wanted:
            self.fault("%s: %s, wanted is %s" % (what, shown(repr(ours)), shown(repr(wanted))))


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))


def shown(text):
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
