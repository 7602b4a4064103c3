"""The ways in which a question in SQL is asked: on one thread and on several, of arrays in an object store, and by workers."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pyarrow
import tiledb

# Cells of the array that is worth several workers, and different values of a column.
CELLS, VALUES = 300_000, 300
BUCKET = "questions"


class Server:
    """A server of S3's protocol with one bucket, while it is needed."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.log = open(os.path.join(folder, "server.log"), "w")
        command = [os.path.join(os.path.dirname(sys.executable), "moto_server"), "-p", port]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        self.address = "http://127.0.0.1:" + port
        self.settings = {"AWS_ENDPOINT_URL": self.address, "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing",
                         "AWS_REGION": "us-east-1"}
        for _ in range(300):
            try:
                urllib.request.urlopen(urllib.request.Request("%s/%s" % (self.address, BUCKET), method="PUT"))
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("moto does not answer: see " + self.log.name)


class Ways:
    """Runs the program in each way."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.server, self.workers, self.addresses = Server(folder), [], []
        self.environment = {**os.environ, **self.server.settings, "XDG_STATE_HOME": os.path.join(folder, "state")}
        for _ in range(2):
            command = [program, "worker", "--listen", "127.0.0.1:0", "--threads", "2"]
            worker = subprocess.Popen(command, cwd=folder, env=self.environment, stdout=subprocess.PIPE, stderr=self.server.log, text=True)
            self.workers.append(worker)
            self.addresses.append(worker.stdout.readline().strip().removeprefix("listening on "))

    def close(self):
        for process in self.workers + [self.server.process]:
            process.terminate()
            process.wait()

    def store(self, table):
        """Copies an array to the server; gives where it is."""
        uri = "s3://%s/%s" % (BUCKET, table.name)
        done = subprocess.run([self.program, "cp", table.uri, uri, "--quiet"], env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError("cp to %s: %s" % (uri, done.stderr))
        return uri

    def ask(self, question, table, way):
        """How it ended, its rows, and what it said."""
        uri = table.stored if way == "store" else table.uri
        quoted = question.replace(" from %s" % table.name, " from '%s'" % uri, 1)
        arguments = ["--cluster", ",".join(self.addresses)] if way == "workers" else ["--threads", "2" if way == "store" else way]
        command = [self.program, "sql", quoted, "--format", "jsonl", "--quiet"] + arguments
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr.strip()


class Large:
    """A dense array that is worth several workers, and the same cells in DuckDB."""

    def __init__(self, choose, folder, database, value_of, fields):
        self.name, self.kind, self.uri = "large", "dense", os.path.join(folder, "large")
        picks = np.random.default_rng(choose.randint(0, 2**32))
        columns, validity = {"x": np.arange(CELLS)}, {}
        for name, kind, null in fields:
            values = np.array([value_of(choose, kind, False) for _ in range(VALUES)], dtype=object if kind == "text" else kind)
            columns[name] = values[picks.integers(0, VALUES, CELLS)]
            if null:
                validity[name] = picks.random(CELLS) < 0.8
        dimension = tiledb.Dim("x", domain=(0, CELLS - 1), tile=2000, dtype=np.int64)
        attributes = [tiledb.Attr(n, dtype="U" if k == "text" else k, nullable=null, var=k == "text" or None) for n, k, null in fields]
        tiledb.Array.create(self.uri, tiledb.ArraySchema(domain=tiledb.Domain(dimension), attrs=attributes))
        with tiledb.open(self.uri, "w", timestamp=1) as array:
            written = {name: column for name, column in columns.items() if name != "x"}
            array._setitem_impl(slice(0, CELLS), written, {name: valid.astype(np.uint8) for name, valid in validity.items()})
        self.hand_over(database, columns, validity, fields)

    def hand_over(self, database, columns, validity, fields):
        kinds = {name: kind for name, kind, _ in fields}
        arrow = {}
        for name, column in columns.items():
            if kinds.get(name, "").startswith("datetime64[h"):
                column = column.astype("datetime64[s]")
            null = ~validity[name] if name in validity else None
            arrow[name] = pyarrow.array(column, mask=null, from_pandas=False)
        database.register("large_cells", pyarrow.table(arrow))
        whole = [name for name in columns if name == "x" or kinds[name].lstrip("u").startswith("int")]
        shown = ["%s::hugeint as %s" % (name, name) if name in whole else name for name in columns]
        database.execute("create table large as select %s from large_cells" % ", ".join(shown))
        database.unregister("large_cells")
