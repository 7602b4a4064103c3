"""Indexes of tiledb-vector-search: `vectors.py make FOLDER` builds one of each kind below a folder, asks them, updates and
asks them again, and prints the answers; `vectors.py read FOLDER` asks those that are there. What is printed depends on the
library below alone."""

import os
import sys

import numpy as np
import tiledb
import tiledb.vector_search as vs

FOLDER = os.path.abspath(sys.argv[2])


def step(name, work):
    print(f"## {name}", flush=True)
    try:
        result = work()
    except Exception as error:  # noqa: BLE001, as what is raised is what is compared.
        print(type(error).__name__)
        return
    print(result)


def asked(uri, kind, queries, **more):
    distances, ids = kind(uri=uri, open_for_remote_query_execution=False).query(queries, k=5, **more)
    return np.round(np.sqrt(distances), 3).tolist(), ids.tolist()


def main():
    chance = np.random.default_rng(7)
    vectors = chance.random((200, 8)).astype("float32")
    queries = chance.random((3, 8)).astype("float32")
    kinds = (
        ("FLAT", vs.FlatIndex, {}, {}),
        ("IVF_FLAT", vs.IVFFlatIndex, {"partitions": 8}, {"nprobe": 8}),
        ("VAMANA", vs.VamanaIndex, {}, {"l_search": 200}),
        ("IVF_PQ", vs.IVFPQIndex, {"partitions": 8, "num_subspaces": 4}, {"nprobe": 8}),
    )
    for name, kind, building, asking in kinds:
        uri = os.path.join(FOLDER, name)
        if sys.argv[1] == "read":
            step(f"{name}: ask", lambda: asked(uri, kind, queries, **asking))
            continue

        def build():
            # Of all vectors, so that nothing depends on chance.
            given = {"training_sample_size": 200} if name == "IVF_FLAT" else {}
            vs.ingest(name, uri, input_vectors=vectors, config={}, **building, **given)
            with tiledb.Group(uri) as group:
                return sorted(member.name for member in group)

        step(f"{name}: build", build)
        step(f"{name}: ask", lambda: asked(uri, kind, queries, **asking))
        step(f"{name}: ask for what is stored", lambda: asked(uri, kind, vectors[[3, 50]], **asking))

        def update():
            index = kind(uri=uri)
            index.update(vector=np.full(8, 2.0, "float32"), external_id=1000)
            index.delete(external_id=3)
            changed = [np.full(8, 3.0, "float32"), np.full(8, 4.0, "float32")]
            together = np.empty(2, object)
            together[:] = changed
            index.update_batch(vectors=together, external_ids=np.array([1001, 50], dtype="uint64"))

        step(f"{name}: update", update)
        step(f"{name}: ask once more", lambda: asked(uri, kind, np.full((1, 8), 2.2, "float32"), **asking))
        step(f"{name}: ask for what was deleted", lambda: asked(uri, kind, vectors[[3, 50]], **asking))
        if name != "IVF_PQ":
            step(f"{name}: consolidate", lambda: kind(uri=uri).consolidate_updates() and None)
            step(f"{name}: ask after that", lambda: asked(uri, kind, queries, **asking))


main()
