#!/usr/bin/env python3
"""What `./stopgap`, `./tools/test` and `tools/install` do, run for real against a made-up machine.

Each test has a clone of its own with nothing in it but the scripts and one source file, and a PATH
whose first folder holds stand-ins for Bazel, dpkg, apt and id.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import cases  # noqa: E402

TREE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# Bazel "builds" a program that says its arguments and where it runs, and ends with 7. `broken` in
# the clone makes the build fail, `slow` makes it take a while.
BAZEL = """\
echo "$*" >>"$LOG/bazel"
echo "INFO: chatter"
for flag in "$@"; do
  case $flag in
    --symlink_prefix=*) bin=${flag#*=}bin ;;
    --build_event_json_file=*) cp "$LOG/events" "${flag#*=}"; exit "$(cat "$LOG/exit_code")" ;;
  esac
done
[[ -e slow ]] && sleep 1
[[ -e broken ]] && exit 1
mkdir -p "$bin/cli"
rm -f "$bin/cli/stopgap"
cat >"$bin/cli/stopgap" <<END
#!/bin/bash
echo "$(cat sim/clock.cc): \\$*, in \\$PWD"
exit 7
END
chmod 555 "$bin/cli/stopgap"
"""
# Everything is installed but what $LOG/missing names.
DPKG_QUERY = """\
for package in "$@"; do
  grep -qxF "$package" "$LOG/missing" || echo "installed $package"
done
"""
# Afterwards it is.
APT_GET = """\
echo "$*" >>"$LOG/apt-get"
echo "apt chatter"
[[ $1 == update ]] || : >"$LOG/missing"
"""


class Machine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.clone = os.path.join(self.folder, "a clone")
        for name in ("stopgap", "tools/install", "tools/test", "tools/count_tests.py"):
            os.makedirs(os.path.dirname(os.path.join(self.clone, name)), exist_ok=True)
            shutil.copy(os.path.join(TREE, name), os.path.join(self.clone, name))
        for folder in ("bin", "elsewhere"):
            os.mkdir(os.path.join(self.folder, folder))
        for name, text in (("bazel", BAZEL), ("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET),
                           ("id", "echo 0\n")):
            self.stand_in(name, text)
        self.write("missing", "")
        self.write("os-release", 'ID=debian\nVERSION_ID="12"\n')
        self.write("a clone/WORKSPACE", "")
        self.write("a clone/sim/clock.cc", "first")

    def stand_in(self, name, text):
        path = os.path.join("bin", name)
        self.write(path, "#!/bin/bash\n" + text)
        os.chmod(os.path.join(self.folder, path), 0o755)

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def calls(self, name):
        """The arguments of each call of a stand-in, in order."""
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as log:
                return log.read().splitlines()
        except FileNotFoundError:
            return []

    def start(self, script, *arguments, config=""):
        environment = dict(os.environ, LOG=self.folder, STOPGAP_CONFIG=config,
                           STOPGAP_OS_RELEASE=os.path.join(self.folder, "os-release"),
                           PATH=os.path.join(self.folder, "bin") + ":" + os.environ["PATH"])
        return subprocess.Popen([os.path.join(self.clone, script), *arguments], env=environment,
                                cwd=os.path.join(self.folder, "elsewhere"), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_script(self, script, *arguments, config=""):
        """Runs the script to its end; returns the process with what it wrote as .out and .err."""
        process = self.start(script, *arguments, config=config)
        process.out, process.err = process.communicate()
        return process


class StopgapTest(Machine):
    def test_it_builds_then_becomes_the_program_where_the_caller_is(self):
        run = self.run_script("stopgap", "gate", "a b")
        self.assertEqual(run.out, f"first: gate a b, in {self.folder}/elsewhere\n")
        self.assertEqual(run.returncode, 7)

    def test_bazel_is_not_asked_again_when_nothing_changed(self):
        self.run_script("stopgap")
        run = self.run_script("stopgap")
        self.assertEqual(len(self.calls("bazel")), 1)
        self.assertEqual(run.err, "")

    def test_an_edit_is_built(self):
        self.run_script("stopgap")
        self.write("a clone/sim/clock.cc", "again")  # As long as before.
        self.assertTrue(self.run_script("stopgap").out.startswith("again: "))

    def test_an_older_copy_put_back_is_built(self):
        path = os.path.join(self.clone, "sim/clock.cc")
        shutil.copy2(path, path + ".old")
        self.write("a clone/sim/clock.cc", "again")
        self.run_script("stopgap")
        os.replace(path + ".old", path)
        self.assertTrue(self.run_script("stopgap").out.startswith("first: "))

    def test_a_new_file_and_a_removed_one_are_built(self):
        self.run_script("stopgap")
        self.write("a clone/sim/pod.h", "")
        self.run_script("stopgap")
        os.remove(os.path.join(self.clone, "sim/pod.h"))
        self.run_script("stopgap")
        self.assertEqual(len(self.calls("bazel")), 3)

    def test_what_bazel_reads_at_the_root_is_built(self):
        self.run_script("stopgap")
        self.write("a clone/.bazelrc", "build --copt=-Wall\n")
        self.run_script("stopgap")
        self.assertEqual(len(self.calls("bazel")), 2)

    def test_scenarios_and_saved_schedules_are_not(self):
        self.run_script("stopgap")
        self.write("a clone/scenarios/new.textproto", "")
        self.write("a clone/schedules/found.schedule", "")
        self.write("a clone/report.json", "")
        self.run_script("stopgap")
        self.assertEqual(len(self.calls("bazel")), 1)

    def test_a_build_that_fails_runs_nothing_though_an_older_program_is_there(self):
        self.run_script("stopgap")
        self.write("a clone/broken", "")
        self.write("a clone/sim/clock.cc", "again")
        run = self.run_script("stopgap")
        self.assertEqual((run.returncode, run.out), (2, ""))
        os.remove(os.path.join(self.clone, "broken"))
        self.assertTrue(self.run_script("stopgap").out.startswith("again: "))

    def test_of_two_started_at_once_one_builds_and_both_run(self):
        self.write("a clone/slow", "")
        both = [self.start("stopgap"), self.start("stopgap")]
        outputs = [process.communicate()[0] for process in both]
        self.assertTrue(all(output.startswith("first: ") for output in outputs), outputs)
        self.assertEqual(len(self.calls("bazel")), 1)

    def test_a_build_stopped_half_way_is_made_up_for(self):
        self.write("a clone/slow", "")
        process = self.start("stopgap")
        while not self.calls("bazel"):
            time.sleep(0.01)
        process.kill()
        process.communicate()
        self.assertTrue(self.run_script("stopgap").out.startswith("first: "))

    def test_a_read_only_record_is_replaced(self):
        self.run_script("stopgap")
        for name in ("built-from", "stopgap"):
            os.chmod(os.path.join(self.clone, ".stopgap/default", name), stat.S_IRUSR)
        self.write("a clone/sim/clock.cc", "again")
        self.assertTrue(self.run_script("stopgap").out.startswith("again: "))

    def test_a_clone_that_cannot_be_written_is_named(self):
        self.write("a clone/.stopgap", "")  # Not a folder, so that even root cannot write there.
        run = self.run_script("stopgap")
        self.assertEqual((run.returncode, run.out), (2, ""))
        self.assertIn("cannot be written", run.err)

    def test_another_configuration_has_a_program_of_its_own(self):
        self.run_script("stopgap")
        run = self.run_script("stopgap", config="clang")
        self.assertTrue(run.out.startswith("first: "))
        self.assertIn("--config=clang", self.calls("bazel")[-1])
        self.run_script("stopgap")
        self.run_script("stopgap", config="clang")
        self.assertEqual(len(self.calls("bazel")), 2)


class InstallTest(Machine):
    def test_what_is_missing_is_installed_once_and_nothing_else(self):
        self.write("missing", "g++\nlibssl-dev\n")
        run = self.run_script("stopgap")
        self.assertEqual(run.returncode, 7, run.err)
        install = self.calls("apt-get")[-1]
        self.assertTrue(install.endswith(" g++ libssl-dev"), install)
        self.assertNotIn("chatter", run.out)

    def test_a_program_needs_no_test_packages(self):
        self.write("missing", "libgtest-dev\n")
        self.run_script("stopgap")
        self.assertEqual(self.calls("apt-get"), [])

    def test_without_root_it_names_what_is_missing_and_stops(self):
        self.stand_in("id", "echo 1000\n")
        self.write("missing", "g++\nlibssl-dev\n")
        run = self.run_script("stopgap")
        self.assertEqual((run.returncode, run.out), (2, ""))
        self.assertIn("g++ libssl-dev", run.err)
        self.assertEqual(self.calls("apt-get") + self.calls("bazel"), [])

    def test_on_another_system_it_names_what_is_missing_and_stops(self):
        for release in ("ID=fedora\nVERSION_ID=40\n", 'ID=ubuntu\nVERSION_ID="24.04"\n',
                        'ID=debian\nVERSION_ID="11"\n'):
            with self.subTest(release):
                self.write("os-release", release)
                self.write("missing", "g++\n")
                run = self.run_script("stopgap")
                self.assertEqual((run.returncode, run.out), (2, ""))
                self.assertIn("missing here: g++", run.err)
        self.assertEqual(self.calls("apt-get") + self.calls("bazel"), [])

    def test_without_root_and_with_everything_there_it_runs(self):
        self.stand_in("id", "echo 1000\n")
        self.assertEqual(self.run_script("stopgap").returncode, 7)


class TestTest(Machine):
    def run_tests(self, *arguments, events=(), exit_code=0):
        self.write("events", "".join(json.dumps(event) + "\n" for event in events))
        self.write("exit_code", str(exit_code))
        return self.run_script("tools/test", *arguments)

    def result(self):
        self.write("test.xml", textwrap.dedent("""\
            <testsuites><testsuite><testcase name="a" status="run"/></testsuite></testsuites>"""))
        output = {"name": "test.xml", "uri": f"file://{self.folder}/test.xml"}
        return {"id": {"testResult": {"label": "//sim:clock_test", "run": 1, "shard": 1}},
                "testResult": {"testActionOutput": [output], "status": "PASSED"}}

    def test_the_last_line_counts_the_cases(self):
        run = self.run_tests(events=[self.result()])
        self.assertEqual(run.out.splitlines()[-1], "1 passed, 0 failed")
        self.assertEqual(run.returncode, 0)

    def test_a_failure_of_bazel_is_counted_and_returned(self):
        run = self.run_tests(events=[self.result()], exit_code=1)
        self.assertEqual(run.out.splitlines()[-1], "1 passed, 1 failed")
        self.assertEqual(run.returncode, 1)

    def test_that_nothing_ran_is_no_success(self):
        run = self.run_tests()
        self.assertEqual(run.out.splitlines()[-1], "0 passed, 0 failed")
        self.assertEqual(run.returncode, 1)

    def test_flags_reach_bazel_and_every_test_is_the_default(self):
        self.run_tests("--config=asan", "--test_filter=A*")
        self.assertTrue(self.calls("bazel")[-1].endswith(" --config=asan --test_filter=A* //..."))

    def test_targets_can_be_named(self):
        self.run_tests("//sim/...")
        self.assertTrue(self.calls("bazel")[-1].endswith(" //sim/..."))

    def test_the_test_packages_are_installed(self):
        self.write("missing", "libgtest-dev\n")
        self.run_tests(events=[self.result()])
        self.assertTrue(self.calls("apt-get")[-1].endswith(" libgtest-dev"))


if __name__ == "__main__":
    cases.main()
