#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of an upload by lane and compares them with those in bench/guard.json.

    bench/guard.py [--update] [--lanes passed,passed-5,rotated,resized]

Builds lane-guard in release and runs it under callgrind. Status 1 where a lane takes more than 10 % more than it did;
`--update` writes down what it takes now. Wants valgrind.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import gateway

COUNTS = os.path.join(gateway.ROOT, "bench", "guard.json")
MAY_RISE = 0.10
# Uploads of the short and of the long run: the difference leaves out the start and the making of the picture.
RUNS = {"passed": (20, 120), "passed-5": (20, 120), "rotated": (1, 4), "resized": (1, 4)}


def build():
    command = ["swift", "build", "--configuration", "release", "--product", "lane-guard"]
    ended = subprocess.run(command, cwd=gateway.ROOT, env={**os.environ, "FANLIGHT_BENCH": "1"},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode:
        raise SystemExit(ended.stdout + "guard: lane-guard cannot be built")
    built = os.path.join(gateway.ROOT, ".build", "release", "lane-guard")
    # valgrind does not understand the debug information of Swift.
    subprocess.run(["strip", "--strip-debug", "-o", built + ".stripped", built], check=True)
    return built + ".stripped"


def instructions(program, lane, count):
    """All that one run takes."""
    with tempfile.TemporaryDirectory(prefix="fanlight-guard-") as folder:
        ended = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, lane, str(count), folder],
            env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", ended.stderr)
    if ended.returncode or not found:
        raise SystemExit(ended.stderr + f"guard: lane-guard {lane} ended with {ended.returncode}")
    return int(found.group(1))


def measure(program, lane):
    """Instructions of one upload."""
    few, many = RUNS[lane]
    return (instructions(program, lane, many) - instructions(program, lane, few)) // (many - few)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--lanes", default=",".join(RUNS))
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        raise SystemExit("guard: no 'valgrind' in PATH: scripts/dependencies valgrind")
    with open(COUNTS) as file:
        noted = json.load(file)
    program, slower = build(), []
    print("| lane | instructions an upload | noted | change |\n|---|---|---|---|")
    for lane in options.lanes.split(","):
        count, before = measure(program, lane), noted.get(lane, 0)
        change = f"{count / before - 1:+.1%}" if before else "new"
        print(f"| {lane} | {count:,} | {before:,} | {change} |", flush=True)
        if options.update:
            noted[lane] = count
        elif count > before * (1 + MAY_RISE):
            slower.append(lane)
    if options.update:
        with open(COUNTS, "w") as file:
            json.dump(noted, file, indent=2)
            file.write("\n")
    if slower:
        print(f"guard: more than {MAY_RISE:.0%} dearer: {', '.join(slower)}. Where that is the price of something wanted, "
              "bench/guard.py --update notes it.", file=sys.stderr)
    return 1 if slower else 0


sys.exit(main())
