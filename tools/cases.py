"""Writes the XML that Bazel and count_tests.py read, a case for each thing that was checked.

A script that is itself a test calls write_xml(); a file of unittest cases ends in cases.main().
"""

import os
import sys
import unittest
import xml.etree.ElementTree as ElementTree


def write_xml(suite, cases):
    """Writes `cases`, pairs of a name and None or what went wrong, to where Bazel wants it."""
    path = os.environ.get("XML_OUTPUT_FILE")
    if not path:
        return
    failures = sum(failure is not None for _, failure in cases)
    root = ElementTree.Element("testsuites")
    element = ElementTree.SubElement(
        root, "testsuite", name=suite, tests=str(len(cases)), failures=str(failures))
    for name, failure in cases:
        case = ElementTree.SubElement(element, "testcase", name=name, classname=suite, status="run")
        if failure is not None:
            # XML has no way to write control characters.
            text = "".join(c for c in failure if c.isprintable() or c in "\n\t")
            ElementTree.SubElement(case, "failure", message=text)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


class _Result(unittest.TextTestResult):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.cases = {}

    def startTest(self, test):
        super().startTest(test)
        self.cases[test.id()] = None

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.cases[test.id()] = self.failures[-1][1]

    def addError(self, test, error):
        super().addError(test, error)
        self.cases[test.id()] = self.errors[-1][1]

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.cases[test.id()] = f"{subtest}: {error[1]}"


def main():
    """Runs the unittest cases of the program's main file, and exits with 1 if one failed."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(resultclass=_Result, verbosity=2, stream=sys.stdout).run(suite)
    write_xml(os.path.basename(sys.argv[0]), list(result.cases.items()))
    sys.exit(0 if result.wasSuccessful() else 1)
