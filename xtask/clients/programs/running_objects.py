"""Steps about fragments, groups, objects and files."""

import os

import numpy as np
import tiledb

from programs.reading import made_selection, shown_pairs
from programs.values import shown_array, shown_item


class Objects:
    def fragments(self, step, **more):
        return tiledb.array_fragments(self.path(step["array"]), **more)

    def run_fragments(self, step):
        found = self.fragments(step)
        shown = []
        for fragment in found:
            shown.append(
                [
                    shown_pairs(fragment.nonempty_domain),
                    list(fragment.timestamp_range),
                    fragment.cell_num,
                    fragment.sparse,
                    fragment.has_consolidated_metadata,
                    fragment.version,
                    len(fragment.unconsolidated_metadata_num) if isinstance(fragment.unconsolidated_metadata_num, list) else fragment.unconsolidated_metadata_num,
                    len(fragment.to_vacuum) if hasattr(fragment, "to_vacuum") else None,
                ]
            )
        return {"fragments": shown, "to vacuum": len(found.to_vacuum)}

    def run_mbrs(self, step):
        found = self.fragments(step, include_mbrs=True)
        return [[[[shown_item(end) for end in ends] for ends in box] for box in fragment.mbrs] for fragment in found]

    def run_plan(self, step):
        context = tiledb.default_ctx()
        with self.opened(step) as array:
            plan = tiledb.ConsolidationPlan(context, array, 10**6)
            return [plan.num_nodes, [plan.num_fragments(node) for node in range(plan.num_nodes)]]

    def run_object(self, step):
        return [tiledb.object_type(self.path(step["array"])), tiledb.array_exists(self.path(step["array"]))]

    def run_files(self, step):
        """Numbers of objects by folder and kind."""
        counts = {}
        for folder, _, names in os.walk(self.path(step["array"])):
            place = os.path.relpath(folder, self.path(step["array"])).split(os.sep)[0]
            for name in names:
                ending = os.path.splitext(name)[1]
                if place in ("__commits", "__fragment_meta", "__meta", "__labels"):
                    key = "%s %s" % (place, ending)
                    counts[key] = counts.get(key, 0) + 1
        return counts

    # Groups

    def group(self, step, mode):
        config = {}
        at = step.get("at")
        if at is not None:
            config["sm.group.timestamp_end"] = str(at)
        return tiledb.Group(self.path(step["group"]), mode, config=tiledb.Config(config))

    def run_group_create(self, step):
        tiledb.Group.create(self.path(step["group"]))
        return tiledb.object_type(self.path(step["group"]))

    def run_group_change(self, step):
        said = []
        with self.group(step, "w") as group:
            for change in step["changes"]:
                try:
                    if change[0] == "remove":
                        group.remove(change[1] if change[1][0] == "n" else "file://" + self.path(change[1]))
                    else:
                        _, target, name, is_relative = change
                        within = step["group"] + "/"
                        below = target[len(within) :] if target.startswith(within) else "../" + target
                        uri = below if is_relative else "file://" + self.path(target)
                        group.add(uri, name, relative=is_relative)
                    said.append("done")
                except Exception as error:
                    said.append(type(error).__name__)
        return [said, self.run_group_show(dict(step, at=None))]

    def run_group_show(self, step):
        with self.group(step, "r") as group:
            members = []
            for member in group:
                members.append([self.without_folder(member.uri), member.name, member.type.__name__])
            names = [name for name in ("n0", "n1", "n2", "n3") if name in group]
            relative = [group.is_relative(name) for name in names]
            return [sorted(members, key=repr), names, relative, len(group), self.shown_meta(group.meta)]

    def run_group_meta(self, step):
        with self.group(step, "w") as group:
            self.change_meta(group.meta, step["changes"])
        return self.run_group_show(dict(step, at=None))

    def run_group_upkeep(self, step):
        tiledb.Group.consolidate_metadata(self.path(step["group"]))
        tiledb.Group.vacuum_metadata(self.path(step["group"]))
        return self.run_group_show(step)

    # Metadata

    def change_meta(self, meta, changes):
        for change in changes:
            if change[0] == "del":
                del meta[change[1]]
            else:
                meta[change[1]] = made_meta(*change[2])

    def shown_meta(self, meta):
        shown = [[key, shown_meta_value(meta[key])] for key in meta.keys()]
        return [sorted(shown), len(meta), "ka" in meta]

    # Objects

    def run_walk(self, step):
        found = []
        tiledb.walk(self.folder, lambda uri, kind: found.append([self.without_folder(uri), kind]), step["order"])
        return sorted(found) if step["order"] == "none" else found

    def run_ls(self, step):
        found = []
        tiledb.ls(self.folder, lambda uri, kind: found.append([self.without_folder(uri), kind]))
        return sorted(found)

    def run_move(self, step):
        tiledb.move(self.path(step["from"]), self.path(step["to"]))
        return self.run_ls(step)

    def run_remove(self, step):
        tiledb.remove(self.path(step["object"]))
        return self.run_ls(step)

    def run_object_of(self, step):
        return tiledb.object_type(self.path(step["object"]))

    # Files

    def run_vfs(self, step):
        vfs = tiledb.VFS()
        root = self.path("files")
        if not vfs.is_dir(root):
            vfs.create_dir(root)
        return getattr(self, "vfs_" + step["kind"])(vfs, root + "/" + step["file"], root + "/" + step["other"], step)

    def vfs_write(self, vfs, file, other, step):
        with vfs.open(file, "wb") as opened:
            return opened.write(step["bytes"].encode())

    def vfs_append(self, vfs, file, other, step):
        with vfs.open(file, "ab") as opened:
            return opened.write(step["bytes"].encode())

    def vfs_read(self, vfs, file, other, step):
        with vfs.open(file, "rb") as opened:
            opened.seek(step["part"][0])
            first = opened.read(step["part"][1])
            return [repr(first), opened.tell(), repr(opened.read())]

    def vfs_stream(self, vfs, file, other, step):
        with vfs.open(file, "rb") as opened:
            buffer = bytearray(step["part"][1])
            count = opened.readinto(buffer)
            return [count, repr(bytes(buffer)), len(opened), opened.seekable(), opened.readable(), opened.writable()]

    def vfs_size(self, vfs, file, other, step):
        return vfs.file_size(file)

    def vfs_ls(self, vfs, file, other, step):
        return sorted(self.without_folder(uri) for uri in vfs.ls(self.path("files") + "/" + step["folder"]))

    def vfs_ls_all(self, vfs, file, other, step):
        found = vfs.ls(self.path("files"), recursive=True)
        return sorted(self.without_folder(uri) for uri in found)

    def vfs_move(self, vfs, file, other, step):
        vfs.move_file(file, other)
        return self.vfs_ls_all(vfs, file, other, step)

    def vfs_copy(self, vfs, file, other, step):
        vfs.copy_file(file, other)
        return self.vfs_ls_all(vfs, file, other, step)

    def vfs_remove(self, vfs, file, other, step):
        vfs.remove_file(file)
        return self.vfs_ls_all(vfs, file, other, step)

    def vfs_touch(self, vfs, file, other, step):
        vfs.touch(file)
        return vfs.file_size(file)

    def vfs_dir(self, vfs, file, other, step):
        vfs.create_dir(self.path("files") + "/" + step["folder"])
        return self.vfs_is(vfs, file, other, step)

    def vfs_remove_dir(self, vfs, file, other, step):
        vfs.remove_dir(self.path("files") + "/" + step["folder"])
        return self.vfs_is(vfs, file, other, step)

    def vfs_move_dir(self, vfs, file, other, step):
        vfs.move_dir(self.path("files") + "/" + step["folder"], self.path("files") + "/moved")
        return self.vfs_ls_all(vfs, file, other, step)

    def vfs_copy_dir(self, vfs, file, other, step):
        vfs.copy_dir(self.path("files") + "/" + step["folder"], self.path("files") + "/copied")
        return self.vfs_ls_all(vfs, file, other, step)

    def vfs_dir_size(self, vfs, file, other, step):
        return vfs.dir_size(self.path("files") + "/" + step["folder"])

    def vfs_is(self, vfs, file, other, step):
        folder = self.path("files") + "/" + step["folder"]
        return [vfs.is_file(file), vfs.is_dir(file), vfs.is_dir(folder), vfs.is_file(folder)]


def made_meta(kind, number, text):
    return {
        "int": number,
        "float": number / 4,
        "str": text + "é",
        "bytes": text.encode(),
        "list": [number, 2, 3],
        "array": np.array([number, 5], dtype=np.int16),
        "empty": "",
        "mixed": (number, 2.5),
        "bool": number > 0,
        "floats": [number / 2, 1.25],
    }[kind]


def shown_meta_value(value):
    return shown_array(value) if isinstance(value, np.ndarray) else shown_item(value)


__all__ = ["Objects", "made_selection"]
