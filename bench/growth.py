#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how the cost of an upload grows with services, uploads in flight, bytes and configured services.

    bench/growth.py [--only services,in-flight,bytes,configured] [--rounds 3]

Each table goes up in steps. Status 1 where a step raises a figure by more than its measure and the tolerance (twice the
services: at most 2.3 times the CPU; ten times the uploads in flight: at most 1.5 times the CPU of each), or where 500 uploads in flight to five slow services take more than 300 MB.
"""
import argparse
import asyncio
import random
import resource
import statistics
import struct
import sys
import tempfile
import time
import zlib

import gateway
import load
import processes
from run import SINK

# A step may cost so much more than in proportion; where a figure should not follow the step at all, so much more.
TOLERANCE = {"measure": 1.15, "nothing": 1.5}
MEMORY_LIMIT = 300e6
missed = []


def png(size):
    """A picture of that many bytes that is passed on as it is: grain, not compressed."""
    width = max(16, int((size / 3) ** 0.5))
    generator = random.Random(size)
    rows = b"".join(b"\0" + generator.randbytes(3 * width) for _ in range(max(1, size // (3 * width + 1))))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, len(rows) // (3 * width + 1), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def configuration(folder, sink_port, services, concurrency=None):
    text = gateway.configuration(folder, sink_port, services, "  max_edge: 0\n  metadata: keep", "  max_spool: 50GB\n  answer_within: 5m\n  max_connections: 5000")
    if concurrency:
        text = text.replace("    link: $.url", f"    link: $.url\n    limits: {{concurrency: {concurrency}}}")
    return text


def measure(picture, services, uploads, at_once, delay=0, concurrency=None, field=""):
    """One round, of `uploads` uploads after a warm-up of some."""
    with processes.started(SINK + ["--delay", str(delay)], r"sink ready (\d+)") as (_, sink_port), \
            tempfile.TemporaryDirectory(prefix="fanlight-growth-") as folder:
        start = time.perf_counter()
        with gateway.started(folder, configuration(folder, sink_port, services, concurrency)) as (process, port):
            begun = time.perf_counter() - start
            idle = processes.memory_of(process.pid, "VmRSS")
            asyncio.run(load.run(port, picture, 4, 4, field=field))
            processes.settle(process.pid)
            before = processes.cpu_seconds(process.pid)
            _, statuses, seconds = asyncio.run(load.run(port, picture, uploads, at_once, field=field))
            processes.settle(process.pid)
            if statuses != {200: uploads}:
                raise SystemExit(f"not every upload was delivered: {statuses}")
            return {
                "cpu_ms": (processes.cpu_seconds(process.pid) - before) * 1e3 / uploads,
                "peak_mb": processes.memory(process.pid, "VmHWM") / 1e6,
                "per_second": uploads / seconds, "start_ms": begun * 1e3, "idle_mb": idle / 1e6,
            }


def table(name, head, steps, rounds, measured, columns, bounds):
    """Measures each step and prints its line.

    `bounds` names figures with what they may follow: `measure` = in proportion to the step, `nothing` = not at all.
    """
    print(f"\n## {name}\n\n| {head} | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    rows = []
    for step in steps:
        results = [measured(step) for _ in range(rounds)]
        row = {key: statistics.median(one[key] for one in results) for key in results[0]}
        rows.append((step, row))
        print(f"| {step:,} | " + " | ".join(f"{row[key]:.2f}" if row[key] < 10 else f"{row[key]:.0f}" for key in columns) + " |",
              flush=True)
    for key, follows in bounds.items():
        for (low, before), (high, after) in zip(rows, rows[1:]):
            allowed = TOLERANCE[follows] * (high / low if follows == "measure" else 1)
            if after[key] > allowed * before[key]:
                missed.append(f"{name}: {key} {before[key]:.2f} at {low:,}, {after[key]:.2f} at {high:,}")
    return rows


def services(rounds):
    picture = png(1_000_000)
    rows = table("Services: 1 MB, 4 uploads at once", "services", [1, 2, 5, 10, 20, 50], rounds,
                 lambda count: measure(picture, count, max(20, 400 // count), 4),
                 ["cpu_ms", "peak_mb", "per_second"], {"cpu_ms": "measure", "peak_mb": "measure"})
    costs = [(high["cpu_ms"] - low["cpu_ms"]) / (many - few) for (few, low), (many, high) in zip(rows, rows[1:])]
    print("\none more service: " + ", ".join(f"{cost:.2f}" for cost in costs) + " ms CPU from step to step")
    if costs[-1] > 1.3 * statistics.median(costs[1:-1]):
        missed.append(f"services: one more costs {costs[-1]:.2f} ms CPU at 50, {statistics.median(costs[1:-1]):.2f} below")


def in_flight(rounds):
    picture = png(100_000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    for concurrency in (None, 2_000):
        turn = "32 deliveries at once a service" if concurrency is None else "all deliveries at once"
        # Those that wait for their turn cost no more than those that are sent; with CPU an upload, fixed costs vanish.
        table(f"In flight: 100 KB, five services that take a second, {turn}", "in flight", [1, 10, 100, 500, 2_000],
              1, lambda count: measure(picture, 5, max(10, count), count, delay=1, concurrency=concurrency),
              ["cpu_ms", "peak_mb", "per_second"], {"cpu_ms": "nothing", "peak_mb": "measure"})
    picture = png(2_800_000)
    rows = []
    for concurrency in (None, 500):
        rows += table(f"In flight: 2.8 MB, five services that take 2 seconds, {concurrency or 32} deliveries at once each", "in flight",
                      [500], 1, lambda count: measure(picture, 5, count, count, delay=2, concurrency=concurrency),
                      ["cpu_ms", "peak_mb", "per_second"], {})
    # The bound is for services as they are configured by default; the second line tells what more at once cost.
    if rows[0][1]["peak_mb"] * 1e6 > MEMORY_LIMIT:
        missed.append(f"in flight: {rows[0][1]['peak_mb']:.0f} MB with 500 to five slow services, at most 300 allowed")


def sizes(rounds):
    table("Bytes: one service, 4 uploads at once", "bytes", [10_000, 100_000, 1_000_000, 10_000_000, 50_000_000], rounds,
          lambda size: measure(png(size), 1, max(8, min(400, 400_000_000 // size // 4)), 4),
          ["cpu_ms", "peak_mb", "per_second"], {"cpu_ms": "measure", "peak_mb": "measure"})


def configured(rounds):
    picture = png(100_000)
    table("Configured services: uploads to one of them, 100 KB", "configured", [1, 50, 500], rounds,
          lambda count: measure(picture, count, 200, 4, field="s0"),
          ["start_ms", "idle_mb", "cpu_ms"], {"start_ms": "measure", "idle_mb": "measure", "cpu_ms": "nothing"})


def main():
    tables = {"services": services, "in-flight": in_flight, "bytes": sizes, "configured": configured}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(tables))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for name in options.only.split(","):
        tables[name](options.rounds)
    print("\nworse than in proportion:\n  " + "\n  ".join(missed) if missed else "\nnothing grows faster than in proportion")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
