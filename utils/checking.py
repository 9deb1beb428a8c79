# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What the check_*.py scripts share: a result that counts items, the list of files, and jobs on all processors."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Result:
    """Items looked at and the problems found. An item with a problem counts as failed."""

    def __init__(self):
        self.items = set()
        self.problems = []

    def ok(self, item):
        self.items.add(str(item))

    def bad(self, item, message):
        self.items.add(str(item))
        self.problems.append((str(item), message))

    def counts(self):
        failed = len({item for item, _ in self.problems})
        return len(self.items) - failed, failed

    def show(self):
        for item, message in self.problems:
            print(f"{item}: {message}")


def finish(result):
    """For a script's own main: prints the problems and exits."""
    result.show()
    passed, failed = result.counts()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def git(root, *args):
    process = subprocess.run(["git", "-C", str(root), *args], capture_output=True, text=True)
    return process.stdout if process.returncode == 0 else None


def all_files(root=ROOT):
    """Paths, relative to root, of the files that git tracks or would track; without git, every file."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is None:
        names = (path.relative_to(root) for path in pathlib.Path(root).rglob("*") if path.is_file())
    else:
        names = (pathlib.Path(name) for name in listed.split("\0") if name)
    return sorted(name for name in names if (pathlib.Path(root) / name).is_file())


def changed_files(root=ROOT):
    """Files that differ from the merge base with origin/main; on origin/main itself, from the commit before."""
    base = (git(root, "merge-base", "HEAD", "origin/main") or "").strip()
    head = (git(root, "rev-parse", "HEAD") or "").strip()
    if not base or base == head:
        base = (git(root, "rev-parse", "--verify", "--quiet", "HEAD~1") or "").strip()
    if not base:
        return all_files(root)
    changed = set((git(root, "diff", "--name-only", "-z", base) or "").split("\0"))
    changed |= set((git(root, "ls-files", "-z", "--others", "--exclude-standard") or "").split("\0"))
    return [path for path in all_files(root) if str(path) in changed]


def parallel(function, items):
    """[function(item)] with as many jobs as processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))
