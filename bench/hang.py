#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a hanging service costs the others: two gateways, five services each, one of them hanging at the second.

    bench/hang.py [--uploads 600] [--at-once 4] [--delay 0.05] [--kilobytes 300] [--json FILE]

Wants `swift build -c release`. Each client posts to both gateways in turn and changes the order each time, so that
whatever else the machine does meets both alike. All samples of a condition are pooled. `any`: how long a client waits
for the first link. `others`: how long the four deliveries to the services that work take. The last column tells how far
two halves of the first gateway's samples are apart, by chance alone. The services answer after --delay seconds.
"""
import argparse
import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request

import gateway
import load
import photo
import processes

SINK = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sink.py")]
WORKING = ["s0", "s1", "s2", "s3"]
POLICIES = {"any": "any", "others": '"quorum: 4"'}


def configuration(folder, ports, policy):
    lines = ["server:", "  listen: 127.0.0.1:0", f"  state: {folder}/state", "  max_spool: 0", "  drain: 1s", "image:", "  max_edge: 0", "  metadata: keep",
             "routes:", f"  default: {{services: [{', '.join(WORKING)}, s4], policy: {policy}}}", "services:"]
    for name, port in zip(WORKING + ["s4"], ports):
        lines.append(f"  {name}: {{url: 'http://127.0.0.1:{port}/{name}', file: file, link: $.url}}")
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def running(ports, policy):
    with tempfile.TemporaryDirectory(prefix="fanlight-hang-") as folder:
        path = os.path.join(folder, "config.yaml")
        with open(path, "w") as file:
            file.write(configuration(folder, ports, policy))
        with open(os.path.join(folder, "log"), "w") as log, processes.started(
                [gateway.PROGRAM, "serve", "--config", path], r"fanlight ready http://127\.0\.0\.1:(\d+)", log) as (_, port):
            yield int(port)


async def measure(ports, picture, uploads, at_once):
    """Answer times and times of the deliveries to the services that work, in milliseconds, of each gateway."""
    answers, ids, deliveries = [[], []], [[], []], [[], []]
    turns = iter(range(uploads))

    async def client():
        ends = [await asyncio.open_connection("127.0.0.1", port, limit=1 << 20) for port in ports]
        requests = [load.request(picture, f"127.0.0.1:{port}") for port in ports]
        for turn in turns:
            for place in ((0, 1) if turn % 2 else (1, 0)):
                start = time.perf_counter()
                status, body = await load.post(*ends[place], requests[place])
                took = (time.perf_counter() - start) * 1000
                if status not in (200, 202, 207):
                    raise SystemExit(f"an upload failed: {status} {body[:500]!r}")
                answers[place].append(took)
                ids[place].append(json.loads(body)["id"])
        for _, writer in ends:
            writer.close()

    await asyncio.gather(*(client() for _ in range(at_once)))
    # The answer comes with the fourth link; a fifth delivery may still have been under way.
    await asyncio.sleep(1)
    for place, port in enumerate(ports):
        for name in ids[place]:
            entries = [entry for entry in report(port, name)["deliveries"] if entry["service"] in WORKING]
            if any(entry["status"] != "delivered" for entry in entries):
                raise SystemExit(f"not every delivery succeeded: {entries}")
            deliveries[place] += [entry["duration_ms"] for entry in entries]
    return answers, deliveries


def report(port, name):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/uploads/{name}", timeout=60) as reply:
        return json.load(reply)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def compare(name, without, with_hanging):
    row = {"measure": name, "samples": len(without)}
    for word, share in (("p50", 0.5), ("p99", 0.99)):
        first, second = percentile(without, share), percentile(with_hanging, share)
        halves = percentile(without[::2], share), percentile(without[1::2], share)
        row[word] = {"without_ms": round(first, 2), "with_ms": round(second, 2), "ratio": round(second / first, 3),
                     "chance": round(max(halves) / min(halves), 3)}
    row["mean_ratio"] = round(statistics.fmean(with_hanging) / statistics.fmean(without), 3)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uploads", type=int, default=600, help="to each gateway, for each measure")
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--kilobytes", type=int, default=300)
    parser.add_argument("--json")
    options = parser.parse_args()
    # A comment in the file: the gateway reads, hashes, spools and sends as many bytes as of any other picture.
    picture = photo.padded(options.kilobytes * 1000)
    rows = []
    for name, policy in POLICIES.items():
        with contextlib.ExitStack() as stack:
            _, working = stack.enter_context(processes.started(SINK + ["--delay", str(options.delay)], r"sink ready (\d+)"))
            _, hanging = stack.enter_context(processes.started(SINK + ["--hang", "1"], r"sink ready (\d+)"))
            ports = [stack.enter_context(running([working] * 4 + [last], policy)) for last in (working, hanging)]
            asyncio.run(measure(ports, picture, 4 * options.at_once, options.at_once))
            answers, deliveries = asyncio.run(measure(ports, picture, options.uploads, options.at_once))
            rows.append(compare(name, *(answers if name == "any" else deliveries)))
    print("measure  samples       without      with     ratio   by chance")
    for row in rows:
        for word in ("p50", "p99"):
            figures = row[word]
            print(f"{row['measure']:<8} {row['samples']:>7}  {word} {figures['without_ms']:>6.1f} ms {figures['with_ms']:>6.1f} ms"
                  f"  {figures['ratio']:>7.3f}  {figures['chance']:>7.3f}")
        print(f"{row['measure']:<8} {row['samples']:>7}  mean {'':>19} {row['mean_ratio']:>8.3f}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


main()
