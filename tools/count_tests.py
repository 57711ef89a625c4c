#!/usr/bin/env python3
"""Counts the test cases of one `bazel test`.

Prints `N passed, M failed`, and exits with 1 when anything failed or nothing ran.

    tools/count_tests.py --bazel_exit_code N EVENTS

EVENTS is what --build_event_json_file wrote: one JSON object a line. Cases are counted in the XML
that each test left. What left none counts as one failed case: a test that was not built or not
run, one that died or hung, and, when Bazel itself gave up without naming a test, that.
"""

import argparse
import json
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


def cases_of(xml_text):
    """Returns (passed, failed) for one test.xml; a disabled or skipped case is in neither."""
    passed = failed = 0
    for case in ElementTree.fromstring(xml_text).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.get("status") != "notrun" and case.find("skipped") is None:
            passed += 1
    return passed, failed


def result_of(test_result):
    """Returns (passed, failed) for one testResult event: one run of one shard."""
    passed = failed = 0
    for output in test_result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            uri = urllib.parse.urlparse(output["uri"])
            passed, failed = read_cases(urllib.parse.unquote(uri.path))
    if test_result.get("status") != "PASSED":
        return passed, max(failed, 1)  # It may have died between two cases.
    return passed, failed


def read_cases(path):
    """Returns (passed, failed) for a file, and (0, 0) where its test did not live to end it."""
    try:
        with open(path, "rb") as xml:
            return cases_of(xml.read())
    except (OSError, ElementTree.ParseError):
        return 0, 0


def count(events, bazel_exit_code):
    """Returns (passed, failed) over all events, given as an iterable of decoded JSON objects."""
    tests, results = set(), {}
    for event in events:
        identity = event["id"]
        if "testSize" in event.get("configured", {}):
            tests.add(identity["targetConfigured"]["label"])
        if "testResult" in event:
            run = identity["testResult"]
            # Of several attempts of one shard the last one counts.
            which = (run["label"], run.get("run"), run.get("shard"))
            results[which] = result_of(event["testResult"])

    never_ran = tests - {label for label, _, _ in results}
    passed = sum(result[0] for result in results.values())
    failed = sum(result[1] for result in results.values()) + len(never_ran)
    if bazel_exit_code != 0 and failed == 0:
        failed = 1
    return passed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bazel_exit_code", type=int, required=True)
    parser.add_argument("events")
    arguments = parser.parse_args()
    with open(arguments.events, encoding="utf-8") as lines:
        passed, failed = count((json.loads(line) for line in lines if line.strip()),
                               arguments.bazel_exit_code)
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
