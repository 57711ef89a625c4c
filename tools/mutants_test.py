#!/usr/bin/env python3
"""The catalogue of mutants: that it fits the tree, and that it leaves no property out."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import cases  # noqa: E402
import mutants  # noqa: E402

PROPERTIES = [f"S-{n:02}" for n in range(1, 57)] + [f"L-{n:02}" for n in range(1, 16)]

ENTRY = """
[[mutant]]
name = "{name}"
fails = ["S-01"]
scenarios = ["one-*"]
[[mutant.edit]]
file = "a.cc"
old = "{old}"
new = "false"
"""


class CatalogueTest(unittest.TestCase):
    def test_every_entry_fits_the_tree(self):
        _, problems = mutants.read_entries()
        self.assertEqual(problems, [])

    def test_every_property_has_a_mutant_that_has_to_violate_it(self):
        entries, _ = mutants.read_entries()
        named = {one for entry in entries for one in entry["fails"]}
        self.assertEqual([one for one in PROPERTIES if one not in named], [])


class EntryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "a.cc").write_text("if (once) twice(twice);")
        (self.root / "scenarios").mkdir()
        (self.root / "scenarios" / "one-first.textproto").write_text("")

    def problems(self, text):
        path = self.root / "mutants.toml"
        path.write_text(text)
        return mutants.read_entries(path, self.root)[1]

    def test_an_entry_that_fits_has_no_problem(self):
        self.assertEqual(self.problems(ENTRY.format(name="a", old="once")), [])

    def test_a_text_that_stands_twice_is_a_problem(self):
        self.assertEqual(self.problems(ENTRY.format(name="a", old="twice")),
                         ["a: its text stands 2 times in a.cc, not once"])

    def test_a_file_that_is_gone_is_a_problem(self):
        (self.root / "a.cc").unlink()
        self.assertEqual(self.problems(ENTRY.format(name="a", old="once")),
                         ["a: its text stands 0 times in a.cc, not once"])

    def test_a_scenario_that_is_gone_is_a_problem(self):
        text = ENTRY.format(name="a", old="once").replace("one-*", "two-*")
        self.assertEqual(self.problems(text), ["a: no scenario is called two-*"])

    def test_a_name_that_stands_twice_is_a_problem(self):
        text = ENTRY.format(name="a", old="once")
        self.assertEqual(self.problems(text + text), ["a: stands twice"])

    def test_an_entry_without_a_place_is_a_problem(self):
        text = ENTRY.format(name="a", old="once").replace('scenarios = ["one-*"]\n', "")
        self.assertEqual(len(self.problems(text)), 1)

    def test_edits_are_undone_when_the_mutant_was_tried(self):
        entries, _ = (self.problems(ENTRY.format(name="a", old="once")),
                      mutants.read_entries(self.root / "mutants.toml", self.root))[1]
        before = mutants.apply_edits(self.root, entries[0])
        self.assertEqual((self.root / "a.cc").read_text(), "if (false) twice(twice);")
        mutants.undo_edits(before)
        self.assertEqual((self.root / "a.cc").read_text(), "if (once) twice(twice);")


if __name__ == "__main__":
    cases.main()
