#!/usr/bin/env python3
"""Every rule of lint.py bites on what it forbids, and leaves alone what it does not."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import cases  # noqa: E402
import lint  # noqa: E402


def broken_rules(*files):
    """Returns the names of the rules that the files, pairs of path and text, break."""
    results = lint.check([lint.File(path, text) for path, text in files])
    return [name for name, findings in results if findings]


# For each rule: a line of sim/clock.cc that breaks it, and one that comes close and does not.
LINES = {
    "unordered": ("std::unordered_map<int, int> m;", "absl::flat_hash_map<int, int> m;"),
    "hash": ("size_t h = std::hash<std::string>()(s);", "H AbslHashValue(H h, const Key& key);"),
    "random": ("std::uniform_int_distribution<int> d;", "int brand(int n);"),
    "clock": ("absl::Time t = absl::Now();", "world.Sleep(name); NowOfWorld();"),
    "address": ("std::map<const Pod*, int> m;", "std::map<std::string, Pod*> m;"),
    "address-printed": ('Format("%p", p);', 'Format("50%", p);'),
    "padding": ("if (memcmp(&a, &b, sizeof(a)) == 0) return;", "memcmp(a.data(), b.data(), n);"),
    "proto-bytes": ("key = job.SerializeAsString();", "key = Encode(job);"),
    "threads": ("std::thread t;", "int thread = 0;"),
    "floating-point": ("double share = 0;", "int doubled = 0;  // Not a double."),
    "environment": ('getenv("HOME");', "my_getenv_name;"),
    "assert": ("assert(x);", "static_assert(x);"),
    "exceptions": ("throw Error();", 'Say("throw");'),
    "standard-output": ("std::cout << x;", "snprintf(buffer, 3, x);"),
    "pragma-once": ("#pragma once", "#pragma GCC poison x"),
    "using-namespace": ("using namespace std;", "using std::string;"),
    "later": ("// " + "TODO: later", "// todos are banned"),
    "disabled-test": ("TEST(A, DISABLED_B) {}", "TEST(A, IsDisabled) {}"),
    "line_lengths": ("int a;" + " " * 90 + "int b;", "// " + "u" * 120),
    "hash_iteration": ("absl::flat_hash_map<int, int> seen;\nfor (const auto& x : seen) {",
                       "absl::flat_hash_map<int, int> seen;\nfor (const auto& x : list) {"),
    "texts_by_address": (
        'struct Rule {\n  const char* name = "";\n'
        "  friend bool operator==(const Rule&, const Rule&) = default;\n};",
        'struct Rule {\n  const char* name = "";\n};\nstruct Time {\n  int ms = 0;\n'
        "  friend bool operator==(const Time&, const Time&) = default;\n};"),
    "includes_follow_the_arrows": ('#include "lifecycle/rules/frame.h"',
                                   '#include "lifecycle/api/frame.h"'),
}


class LineRulesTest(unittest.TestCase):
    def test_every_banned_name_has_an_example_here(self):
        self.assertEqual({ban.name for ban in lint.BANS} - set(LINES), set())

    def test_each_rule_finds_what_it_forbids_and_nothing_else_does(self):
        for name, (bad, _) in LINES.items():
            with self.subTest(name):
                self.assertEqual(broken_rules(("sim/clock.cc", bad)), [name])

    def test_no_rule_minds_what_only_looks_like_it(self):
        for name, (_, good) in LINES.items():
            with self.subTest(name):
                self.assertEqual(broken_rules(("sim/clock.cc", good)), [])

    def test_a_reasoned_exception_is_let_through_for_its_own_rule_only(self):
        line = "absl::Time t = absl::Now();"
        excused = "// Only printed. NOLINT(clock)\n" + line
        self.assertEqual(broken_rules(("sim/clock.cc", excused)), [])
        wrong = "// Only printed. NOLINT(random)\n" + line
        self.assertEqual(broken_rules(("sim/clock.cc", wrong)), ["clock"])

    def test_real_time_belongs_to_the_command_line(self):
        self.assertEqual(broken_rules(("cli/gate.cc", "absl::Time t = absl::Now();")), [])

    def test_a_hash_container_of_the_header_is_not_walked_in_the_source(self):
        files = (("sim/a.cc", "for (const auto& x : seen_) {"),
                 ("sim/a.h", "#ifndef SIM_A_H_\n#define SIM_A_H_\n// What.\n"
                             "absl::flat_hash_set<int> seen_;"))
        self.assertEqual(broken_rules(*files), ["hash_iteration"])


class LayoutRulesTest(unittest.TestCase):
    def test_a_header_has_its_path_as_its_guard(self):
        good = "// What this is.\n#ifndef SIM_POD_H_\n#define SIM_POD_H_\n"
        self.assertEqual(broken_rules(("sim/pod.h", good)), [])
        self.assertEqual(broken_rules(("sim/job.h", good)), ["include_guards"])

    def test_a_header_opens_with_a_comment(self):
        text = "#ifndef SIM_POD_H_\n#define SIM_POD_H_\n\n#include <string>\n"
        self.assertEqual(broken_rules(("sim/pod.h", text)), ["opening_comments"])
        commented = text.replace("\n\n", "\n// What this is.\n")
        self.assertEqual(broken_rules(("sim/pod.h", commented)), [])

    def test_a_test_that_no_build_file_names_is_found(self):
        self.assertEqual(broken_rules(("sim/pod_test.cc", "")), ["tests_are_built"])
        build = ("sim/BUILD.bazel", 'srcs = ["pod_test.cc"],')
        self.assertEqual(broken_rules(("sim/pod_test.cc", ""), build), [])


class ArrowsTest(unittest.TestCase):
    def test_the_lifecycle_depends_on_nothing_of_ours_but_itself(self):
        for label in ("//sim:world", "//model", "//reports:text", "//cli:stopgap"):
            build = ("lifecycle/rules/BUILD.bazel", f'deps = ["{label}"],')
            self.assertEqual(broken_rules(build), ["dependencies_follow_the_arrows"], label)

    def test_the_world_depends_on_the_api_and_not_on_the_rules(self):
        api = ("sim/BUILD.bazel", 'deps = ["//lifecycle/api", "//lifecycle/api:client"],')
        self.assertEqual(broken_rules(api), [])
        rules = ("sim/BUILD.bazel", 'deps = ["//lifecycle/rules:frame"],')
        self.assertEqual(broken_rules(rules), ["dependencies_follow_the_arrows"])
        # A folder whose name only begins the same is not the api.
        other = ("sim/BUILD.bazel", 'deps = ["//lifecycle/apiary"],')
        self.assertEqual(broken_rules(other), ["dependencies_follow_the_arrows"])

    def test_the_controllers_are_not_shown_to_the_world(self):
        shown = ("lifecycle/schema/BUILD.bazel", 'visibility = ["//sim:__subpackages__"],')
        self.assertEqual(broken_rules(shown), ["visibility_follows_the_arrows"])
        public = ("lifecycle/schema/BUILD.bazel", 'visibility = ["//visibility:public"],')
        self.assertEqual(broken_rules(public), ["visibility_follows_the_arrows"])
        right = ("lifecycle/schema/BUILD.bazel", 'visibility = ["//model:__subpackages__"],')
        self.assertEqual(broken_rules(right), [])

    def test_the_api_is_shown_to_the_world(self):
        shown = ("lifecycle/api/BUILD.bazel", 'visibility = ["//sim:__subpackages__"],')
        self.assertEqual(broken_rules(shown), [])


if __name__ == "__main__":
    cases.main()
