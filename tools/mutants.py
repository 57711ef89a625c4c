#!/usr/bin/env python3
"""Asks of each property whether its check could fail: breaks the lifecycle in one place at a time.

Each entry of mutants.toml changes one text of one file in a copy of the tree, builds it, and runs
the named scenarios; the mutant is caught when every property it names is violated. Prints a line a
mutant and a summary. The copy is kept between runs, so that only the first builds everything.

Exit codes: 0 all were caught; 1 one was not; 2 an entry does not fit the tree, or does not build.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENTRIES = ROOT / "tools" / "mutants.toml"
COPIED = ("WORKSPACE", "BUILD.bazel", ".bazelrc", "cli", "lifecycle", "model", "reports",
          "scenarios", "sim", "third_party", "docs")
# What a mutant may take for each of its scenarios: one that is wrong everywhere has no end.
SECONDS_MAX = 60
KEYS = {"name", "fails", "edit"}
PLACES = ("scenarios", "tests")


def read_entries(path=ENTRIES, root=ROOT):
    """Returns (entries, problems): the mutants, and what keeps each from fitting the tree."""
    entries = tomllib.loads(path.read_text())["mutant"]
    problems = []
    names = set()
    for entry in entries:
        name = entry.get("name", "?")
        places = [place for place in PLACES if place in entry]
        if set(entry) - set(PLACES) != KEYS or len(places) != 1:
            problems.append(f"{name}: needs {', '.join(sorted(KEYS))} and one of {PLACES}")
            continue
        if name in names:
            problems.append(f"{name}: stands twice")
        names.add(name)
        for edit in entry["edit"]:
            file = root / edit["file"]
            found = file.read_text().count(edit["old"]) if file.is_file() else 0
            if found != 1:
                problems.append(
                    f"{name}: its text stands {found} times in {edit['file']}, not once")
        scenarios = [one.stem for one in (root / "scenarios").glob("*.textproto")]
        for glob in entry.get("scenarios", []):
            if not fnmatch.filter(scenarios, glob):
                problems.append(f"{name}: no scenario is called {glob}")
    return entries, problems


def copy_tree(copy):
    """Makes `copy` the tree as it stands; files that are equal keep their times."""
    copy.mkdir(parents=True, exist_ok=True)
    for part in COPIED:
        source, target = ROOT / part, copy / part
        if source.is_file():
            shutil.copy2(source, target)
            continue
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)


def bazel(copy, *arguments):
    """Runs Bazel in the copy. Returns its exit code and what it said."""
    done = subprocess.run(["bazel", *arguments], cwd=copy, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def run_gate(copy, scenarios, folder):
    """Returns the properties violated; None when the gate gives no report.

    A scenario that cannot run adds "error", and one that has no end "undecided".
    """
    violated = set()
    for number, glob in enumerate(scenarios):
        report = pathlib.Path(folder) / f"{number}.json"
        subprocess.run(
            [copy / "bazel-bin/cli/stopgap", "gate", "--quiet", "--scenario", glob,
             "--seconds-max", str(SECONDS_MAX), "--json", report,
             "--save", pathlib.Path(folder) / "schedules"],
            env={**os.environ, "STOPGAP_ROOT": str(copy)}, stdout=subprocess.DEVNULL)
        if not report.is_file():
            return None
        for scenario in json.loads(report.read_text())["scenarios"]:
            violated.update(one["property"] for one in scenario["violations"])
            if scenario["error"]:
                violated.add("error")
            if scenario["verdict"] == "undecided":
                violated.add("undecided")
    return violated


def apply_edits(copy, entry):
    """Returns the texts as they were, by file."""
    before = {}
    for edit in entry["edit"]:
        file = copy / edit["file"]
        before.setdefault(file, file.read_text())
        file.write_text(file.read_text().replace(edit["old"], edit["new"]))
    return before


def undo_edits(before):
    for file, text in before.items():
        file.write_text(text)


def try_mutant(copy, entry):
    """Returns whether it was caught, None when that cannot be said, and what to print."""
    before = apply_edits(copy, entry)
    try:
        if "tests" in entry:
            code, said = bazel(copy, "test", "--config=release", *entry["tests"])
            if code in (0, 3):
                return code == 3, " ".join(entry["tests"])
        else:
            code, said = bazel(copy, "build", "--config=release", "//cli:stopgap")
        if code != 0:
            sys.stderr.write(said)
            return None, "does not build"
        with tempfile.TemporaryDirectory() as folder:
            violated = run_gate(copy, entry["scenarios"], folder)
    finally:
        undo_edits(before)
    if violated is None:
        return None, "the gate gives no report"
    missing = [one for one in entry["fails"] if one not in violated]
    said = " ".join(sorted(violated)) or "nothing violated"
    return not missing, f"not by {' '.join(missing)}: {said}" if missing else said


def main():
    parser = argparse.ArgumentParser(prog="tools/mutants.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("glob", nargs="*", default=["*"],
                        help="which mutants, by name or by property (* and ?; default: all)")
    parser.add_argument("--list", action="store_true", help="only name them")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    parser.add_argument("--copy", type=pathlib.Path, default=cache / "stopgap" / "mutants",
                        help="the folder to break the copy in (default: %(default)s)")
    arguments = parser.parse_args()

    entries, problems = read_entries()
    for problem in problems:
        print(f"tools/mutants.py: {problem}", file=sys.stderr)
    if problems:
        return 2
    chosen = [entry for entry in entries
              if any(fnmatch.fnmatch(name, glob) for glob in arguments.glob
                     for name in (entry["name"], *entry["fails"]))]
    if not chosen:
        print("tools/mutants.py: no mutant is called that", file=sys.stderr)
        return 2
    if arguments.list:
        for entry in chosen:
            print(f"{' '.join(entry['fails']):14} {entry['name']}")
        return 0

    copy_tree(arguments.copy)
    outcomes = []
    for entry in chosen:
        start = time.monotonic()
        caught, said = try_mutant(arguments.copy, entry)
        print(f"mutants: {entry['name']} took {time.monotonic() - start:.0f} s", file=sys.stderr)
        label = {True: "caught", False: "MISSED", None: "BROKEN"}[caught]
        print(f"{label:7} {entry['name']:44} {said}", flush=True)
        outcomes.append(caught)
    print(f"{outcomes.count(True)} caught, {len(outcomes) - outcomes.count(True)} not")
    return 2 if None in outcomes else 1 if False in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
