#!/usr/bin/env python3
"""Checks the tree for what the compiler does not: banned names, the folders' arrows, layout.

    tools/lint.py           prints each finding as `file:line: what to do instead`, exits 1 if any

Determinism is what most of this is about: same scenario and schedule, same bytes, on every run,
build mode and machine. A place that is right to use a banned name says why in a comment, and ends
that comment with NOLINT(rule) on the line itself or the line before.
"""

import collections
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import cases  # noqa: E402

# Where a source file of each folder may look, beside its own folder: by #include and by dependency.
ARROWS = {
    "lifecycle": ("lifecycle",),
    "sim": ("sim", "lifecycle/api"),
    "model": ("model", "sim", "lifecycle"),
    "reports": ("reports", "model"),
    "cli": ("cli", "reports", "model"),
}
# What is no code of ours, and any folder may name in its BUILD.bazel.
OUTSIDE = ("third_party", "scenarios", "docs")
# Who may depend on a folder: the arrows read backwards. The longest name that fits counts.
VISIBLE_TO = {
    "lifecycle": ("lifecycle", "model"),
    "lifecycle/api": ("lifecycle", "sim", "model"),
    "sim": ("sim", "model"),
    "model": ("model", "reports", "cli"),
    "reports": ("reports", "cli"),
    "cli": ("",),
}
FOLDERS = tuple(ARROWS)
COLUMNS = 100

Finding = collections.namedtuple("Finding", "path line message")


class File:
    """A text file: its path from the root, its lines, and the lines less comments and strings."""

    def __init__(self, path, text):
        self.path = path
        self.lines = text.split("\n")
        self.code = [_code_of(line) for line in self.lines]
        self.folder = path.split("/")[0]
        self.name = path.split("/")[-1]

    @property
    def is_cpp(self):
        return self.name.endswith((".h", ".cc"))

    @property
    def is_test(self):
        return self.name.endswith(("_test.cc", "_benchmark.cc")) or "testing" in self.name

    def excuses(self, index, rule):
        """Says whether line `index` (from 0), or the line before, bears NOLINT(rule)."""
        return any(f"NOLINT({rule})" in line for line in self.lines[max(0, index - 1):index + 1])


def _code_of(line):
    line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
    return re.sub(r"//.*$", "", line)


class Ban:
    """A pattern that must not appear in a file, and what to use instead."""

    def __init__(self, name, pattern, instead, applies=lambda file: file.is_cpp, raw=False):
        self.name, self.instead, self.applies, self.raw = name, instead, applies, raw
        self.pattern = re.compile(pattern)

    def check(self, files):
        for file in files:
            if not self.applies(file):
                continue
            for index, line in enumerate(file.lines if self.raw else file.code):
                match = self.pattern.search(line)
                if match and not file.excuses(index, self.name):
                    yield Finding(file.path, index + 1, f"{match.group(0).strip()}: {self.instead}")


def _library(file):
    return file.is_cpp and not file.is_test


def _not_cli(file):
    return file.is_cpp and file.folder != "cli" and not file.name.endswith("_benchmark.cc")


BANS = (
    # Determinism.
    Ban("unordered", r"\bstd::unordered_\w+",
        "its order is not ours; use std::map, or absl::flat_hash_map only to look up"),
    Ban("hash", r"\bstd::hash\b|\babsl::HashOf\b|\babsl::Hash\s*<",
        "salted, or the library's own; use canonical bytes and our digest"),
    Ban("random", r"\babsl::(?:Insecure)?BitGen\b|\bstd::\w+_distribution\b|\bstd::random_device\b"
        r"|\bstd::mt19937\w*|\bstd::default_random_engine\b|\bstd::shuffle\b|\bs?rand\s*\(",
        "unstable, even seeded; use our own seeded generator, or a choice point"),
    Ban("clock", r"\babsl::Now\b|\babsl::SleepFor\b|\babsl::GetCurrentTimeNanos\b"
        r"|\bstd::chrono::\w+_clock\b|\bgettimeofday\b|\bclock_gettime\b"
        r"|\btime\(\s*(?:nullptr|NULL|0|&)|\b(?:u|nano)?sleep(?:_for|_until)?\s*\(",
        "the wall clock; use the world's clock, which steps advance (real time is for cli/)",
        _not_cli),
    Ban("address", r"\bu?intptr_t\b|\b(?:map|set)<\s*(?:const\s+)?[\w:]+\s*\*",
        "addresses change with every run; key by a name or an index"),
    Ban("address-printed", r'"[^"]*%p', "addresses change with every run; print a name",
        raw=True),
    Ban("padding", r"\bmemcmp\s*\(\s*&",
        "padding changes with every run; compare field by field"),
    Ban("proto-bytes", r"\b\w*DebugString\s*\(|\bSerialize(?:Partial)?(?:As|To)\w+\s*\(",
        "not canonical, so never an identity; use our encoder or our printer",
        lambda file: _library(file) and file.folder != "cli"),  # It only hands reports over.
    Ban("threads", r"\bstd::(?:j?thread|async|atomic\w*|(?:\w+_)?mutex|condition_variable)\b"
        r"|\babsl::(?:Mutex|Notification|BlockingCounter)\b|\bpthread_\w+",
        "a hidden chooser; one thread a run, merged in input order"),
    Ban("floating-point", r"\b(?:float|double)\b",
        "differs by flags and host; use integers, with the unit in the name", _not_cli),
    Ban("environment", r"\b(?:std::)?getenv\s*\(",
        "a hidden input; pass the value through the constructor (cli/ may read it)", _not_cli),
    # The house's manners.
    Ban("assert", r"(?<!\w)assert\s*\(|#include <cassert>",
        "vanishes under -c opt; use STOPGAP_CHECK of lifecycle/api/check.h"),
    Ban("exceptions", r"\bthrow\b|\btry\s*\{|\bcatch\s*\(",
        "no exception crosses an API; return absl::Status or absl::StatusOr"),
    Ban("standard-output", r"\bstd::cout\b|(?<!\w)printf\s*\(|(?<!\w)puts\s*\("
        r"|\bfprintf\s*\(\s*stdout", "libraries return values; only main prints",
        lambda file: _library(file) and file.folder != "cli"),
    Ban("pragma-once", r"#pragma once", "use an include guard named after the path"),
    Ban("using-namespace", r"\busing namespace\b", "name what you use"),
    Ban("later", r"\b(?:TODO|FIXME|XXX)\b", "do it, or write what is missing as a sentence",
        lambda file: file.name != "lint.py" and file.name != "lint_test.py", raw=True),
    Ban("disabled-test", r"\bDISABLED_\w+|\bGTEST_SKIP\b", "a test runs or is removed"),
)


def include_guards(files):
    """A header's guard is its path."""
    for file in files:
        if not file.name.endswith(".h"):
            continue
        guard = re.sub(r"\W", "_", file.path).upper() + "_"
        first = next((i for i, line in enumerate(file.code) if line.startswith("#")), 0)
        if file.code[first:first + 2] != [f"#ifndef {guard}", f"#define {guard}"]:
            yield Finding(file.path, first + 1, f"expected #ifndef {guard} and #define {guard}")


def opening_comments(files):
    """A header opens with what it is and why it exists, right above or right below its guard."""
    for file in files:
        if not file.name.endswith(".h"):
            continue
        rest = [line for line in file.lines if line and not re.match(r"#\w+ \w+_H_$", line)]
        if not rest or not rest[0].startswith("//"):
            yield Finding(file.path, 1, "open with what this is, why, and which rule it answers")


def line_lengths(files):
    """No line is longer than 100 columns, but for one that cannot be broken."""
    for file in files:
        for index, line in enumerate(file.lines):
            unbreakable = re.match(r"\s*(#include|#ifndef|#define|//|# )?\s*\S+$", line)
            if len(line) > COLUMNS and not unbreakable:
                yield Finding(file.path, index + 1, f"{len(line)} columns; break it at {COLUMNS}")


def hash_iteration(files):
    """A hash container is only looked up in, never walked."""
    declared = re.compile(r"\b(?:flat|node)_hash_(?:map|set)<.*>\s*&?\s*(\w+)\s*[;={,)]")
    names = collections.defaultdict(set)  # By the path without its extension: a .h and its .cc.
    for file in files:
        for line in file.code if file.is_cpp else ():
            names[file.path.rsplit(".", 1)[0]].update(declared.findall(line))
    for file in files:
        for name in sorted(names[file.path.rsplit(".", 1)[0]]):
            walked = re.compile(rf"\bfor\s*\([^;]*:\s*(?:\w+(?:\.|->))*{name}\s*\)"
                                rf"|\b{name}\s*(?:\.|->)\s*c?begin\s*\(")
            for index, line in enumerate(file.code):
                if walked.search(line) and not file.excuses(index, "hash-iteration"):
                    yield Finding(file.path, index + 1,
                                  f"{name} has a hash's order; walk a std::map or a sorted copy")


def texts_by_address(files):
    """A type that compares itself by its members holds no text as a pointer: it would compare where
    literals happen to lie."""
    opens = re.compile(r"^(struct|class) \w+[^;]*\{")
    for file in files:
        pointers, inside = [], False
        for index, line in enumerate(file.code if file.is_cpp else ()):
            if opens.match(line):
                pointers, inside = [], True
            elif line.startswith("};"):
                inside = False
            elif inside and re.match(r"  (?:const )?char(?: const)?\* \w+(?: = [^;(]*)?;", line):
                pointers.append(index)
            elif inside and re.search(r"\boperator(?:==|<=>)\(.*= default;", line):
                for pointer in pointers:
                    yield Finding(file.path, pointer + 1,
                                  "compared by its address; hold an absl::string_view")


def _within(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def includes_follow_the_arrows(files):
    """lifecycle/ includes nothing of the others, sim/ of lifecycle/ only the api, and so on up."""
    for file in files:
        for index, line in enumerate(file.lines if file.is_cpp and file.folder in ARROWS else ()):
            match = re.match(r'#include "([^"]+)"', line)
            if match and match.group(1).split("/")[0] in FOLDERS and not _within(
                    match.group(1), ARROWS[file.folder]):
                yield Finding(file.path, index + 1, _arrow_message(file.folder, match.group(1)))


def dependencies_follow_the_arrows(files):
    """The same, for what a BUILD.bazel depends on."""
    for file, index, label in _labels(files):
        package = label[2:].split(":")[0]
        if not _is_visibility(label) and not _within(package, ARROWS[file.folder] + OUTSIDE):
            yield Finding(file.path, index + 1, _arrow_message(file.folder, label))


def visibility_follows_the_arrows(files):
    """A target is shown to those folders alone whose arrows point at it."""
    for file, index, label in _labels(files):
        package = os.path.dirname(file.path)
        shown_to = VISIBLE_TO[max((f for f in VISIBLE_TO if _within(package, (f,))), key=len)]
        if not _is_visibility(label) or label == "//visibility:private" or "" in shown_to:
            continue
        if label == "//visibility:public" or not _within(label[2:].split(":")[0], shown_to):
            yield Finding(file.path, index + 1,
                          f"{label}: {package} may be visible to {', '.join(shown_to)} only")


def _labels(files):
    for file in files:
        if file.name == "BUILD.bazel" and file.folder in ARROWS:
            for index, line in enumerate(file.lines):
                for label in re.findall(r'"(//[^"]*)"', line):
                    yield file, index, label


def _is_visibility(label):
    return label.startswith("//visibility:") or label.endswith((":__pkg__", ":__subpackages__"))


def _arrow_message(folder, target):
    return f"{target}: {folder}/ may use {', '.join(ARROWS[folder])} only"


def tests_are_built(files):
    """Every test and benchmark beside the code is named, whole or in part, in its BUILD.bazel."""
    builds = {os.path.dirname(f.path): "\n".join(f.lines)
              for f in files if f.name == "BUILD.bazel"}
    for file in files:
        match = re.match(r"(.*)(_test|_benchmark)\.cc$", file.name)
        if match:
            build = builds.get(os.path.dirname(file.path), "")
            stem = match.group(1)
            # Also as the stem that a list comprehension over targets holds.
            spellings = (file.name, file.name[:-len(".cc")], stem, f"*{match.group(2)}.cc")
            if not any(f'"{spelling}"' in build for spelling in spellings):
                yield Finding(file.path, 1, "no BUILD.bazel beside it names it, so it never runs")


def formatting(files, root):
    """Every C++ file is as clang-format leaves it."""
    paths = [file.path for file in files if file.is_cpp]
    if not paths:
        return
    if not shutil.which("clang-format"):
        yield Finding(".clang-format", 1, "clang-format is missing: run tools/install test")
        return
    run = subprocess.run(["clang-format", "--dry-run", "--Werror", "--ferror-limit=1", *paths],
                         cwd=root, stderr=subprocess.PIPE, text=True, check=False)
    seen = set()
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: error:", run.stderr, re.MULTILINE):
        if path not in seen:
            seen.add(path)
            yield Finding(path, int(line), f"run clang-format -i {path}")


LAYOUT = (include_guards, opening_comments, line_lengths, hash_iteration, texts_by_address,
          includes_follow_the_arrows, dependencies_follow_the_arrows, visibility_follows_the_arrows,
          tests_are_built)


def check(files, root=None):
    """Returns (name, findings) for every rule. Formatting needs the files on disk, under `root`."""
    results = [(ban.name, list(ban.check(files))) for ban in BANS]
    results += [(rule.__name__, list(rule(files))) for rule in LAYOUT]
    if root is not None:
        results.append(("formatting", list(formatting(files, root))))
    return results


def read_tree(root):
    """Returns our text files under `root`, in the order of their paths."""
    files = []
    for folder in (*FOLDERS, "third_party", "tools", ".ci"):
        for directory, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                path = os.path.join(directory, name)
                relative = os.path.relpath(path, root)
                if _is_ours(relative):
                    with open(path, encoding="utf-8") as text:
                        files.append(File(relative, text.read()))
    for name in ("stopgap", "WORKSPACE", "BUILD.bazel"):
        with open(os.path.join(root, name), encoding="utf-8") as text:
            files.append(File(name, text.read()))
    return sorted(files, key=lambda file: file.path)


def _is_ours(path):
    extension = os.path.splitext(path)[1]
    return extension in (".h", ".cc", ".proto", ".bazel", ".bzl", ".sh", ".py") or (
        extension == "" and path.startswith(("tools/", ".ci/")))


def main():
    # Bazel runs a link to this file: the tree is where the file itself lies.
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    results = check(read_tree(root), root)
    for _, findings in results:
        for finding in findings:
            print(f"{finding.path}:{finding.line}: {finding.message}")
    cases.write_xml("lint", [
        (name, "\n".join(f"{f.path}:{f.line}: {f.message}" for f in findings) or None)
        for name, findings in results])
    return 1 if any(findings for _, findings in results) else 0


if __name__ == "__main__":
    sys.exit(main())
