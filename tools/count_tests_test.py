#!/usr/bin/env python3
"""What `./tools/test` counts, from the events of small made-up test runs."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import cases  # noqa: E402
import count_tests  # noqa: E402

LABEL = "//claim:claim_test"


def configured(label=LABEL):
    return {"id": {"targetConfigured": {"label": label}},
            "configured": {"targetKind": "cc_test rule", "testSize": "MEDIUM"}}


class CountTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def result(self, status, xml=None, label=LABEL, shard=1, attempt=1):
        """One testResult event, whose test left `xml`."""
        outputs = []
        if xml is not None:
            path = os.path.join(self.folder.name, f"{shard} {attempt}.xml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(xml)
            outputs = [{"name": "test.log", "uri": "file:///nowhere"},
                       {"name": "test.xml", "uri": "file://" + path.replace(" ", "%20")}]
        return {"id": {"testResult": {"label": label, "run": 1, "shard": shard,
                                      "attempt": attempt}},
                "testResult": {"testActionOutput": outputs, "status": status}}

    def test_cases_of_a_passing_test_are_all_passed(self):
        xml = ('<testsuites><testsuite><testcase name="a" status="run"/>'
               '<testcase name="b" status="run"/></testsuite></testsuites>')
        events = [configured(), self.result("PASSED", xml)]
        self.assertEqual(count_tests.count(events, 0), (2, 0))

    def test_a_failed_case_leaves_the_others_passed(self):
        xml = ('<testsuites><testsuite><testcase name="a" status="run"><failure/></testcase>'
               '<testcase name="b" status="run"/></testsuite></testsuites>')
        events = [configured(), self.result("FAILED", xml)]
        self.assertEqual(count_tests.count(events, 3), (1, 1))

    def test_disabled_and_skipped_cases_are_not_passed(self):
        xml = ('<testsuites><testsuite><testcase name="a" status="notrun"/>'
               '<testcase name="b" status="run"><skipped/></testcase></testsuite></testsuites>')
        events = [configured(), self.result("PASSED", xml)]
        self.assertEqual(count_tests.count(events, 0), (0, 0))

    def test_shards_are_added_up(self):
        xml = '<testsuites><testsuite><testcase name="a" status="run"/></testsuite></testsuites>'
        events = [configured(), self.result("PASSED", xml), self.result("PASSED", xml, shard=2)]
        self.assertEqual(count_tests.count(events, 0), (2, 0))

    def test_of_two_attempts_the_last_counts(self):
        good = '<testsuites><testsuite><testcase name="a" status="run"/></testsuite></testsuites>'
        events = [configured(), self.result("FAILED", attempt=1),
                  self.result("PASSED", good, attempt=2)]
        self.assertEqual(count_tests.count(events, 0), (1, 0))

    def test_a_test_that_died_without_a_word_is_one_failure(self):
        events = [configured(), self.result("FAILED")]
        self.assertEqual(count_tests.count(events, 3), (0, 1))

    def test_a_test_that_died_after_good_cases_is_a_failure_too(self):
        xml = '<testsuites><testsuite><testcase name="a" status="run"/></testsuite></testsuites>'
        events = [configured(), self.result("TIMEOUT", xml)]
        self.assertEqual(count_tests.count(events, 3), (1, 1))

    def test_xml_cut_short_is_one_failure(self):
        events = [configured(), self.result("FAILED", "<testsuites><testsu")]
        self.assertEqual(count_tests.count(events, 3), (0, 1))

    def test_a_test_that_was_not_built_is_one_failure(self):
        self.assertEqual(count_tests.count([configured(), configured("//b:b_test")], 1), (0, 2))

    def test_a_library_that_was_not_built_is_one_failure(self):
        xml = '<testsuites><testsuite><testcase name="a" status="run"/></testsuite></testsuites>'
        events = [configured(), self.result("PASSED", xml)]
        self.assertEqual(count_tests.count(events, 1), (1, 1))

    def test_a_build_that_never_began_is_one_failure(self):
        self.assertEqual(count_tests.count([], 1), (0, 1))


if __name__ == "__main__":
    cases.main()
