#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the gateway: CPU an upload, uploads a second, latencies, peak memory; lanes times services.

    bench/run.py [--services 1,5,20] [--uploads 60] [--at-once 4] [--rounds 3] [--json FILE]

Wants `swift build -c release`. The services are one sink on this machine that drops what it gets.
"""
import argparse
import asyncio
import json
import os
import statistics
import sys

import gateway
import load
import photo
import processes

LANES = {
    "stripped": ("upright", "  max_edge: 0"),
    "untouched": ("upright", "  max_edge: 0\n  metadata: keep"),
    "rotated": ("sideways", "  max_edge: 0"),
    "resized": ("sideways", "  max_edge: 2048"),
}
SINK = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sink.py")]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def measure(picture, image, services, options, server=""):
    """One round: figures of `options.uploads` uploads after a warm-up."""
    with processes.started(SINK, r"sink ready (\d+)") as (_, sink_port):
        with gateway.running(sink_port, services, image, server) as (process, port):
            asyncio.run(load.run(port, picture, 2 * options.at_once, options.at_once))
            processes.settle(process.pid)
            before = processes.cpu_seconds(process.pid)
            latencies, statuses, seconds = asyncio.run(load.run(port, picture, options.uploads, options.at_once))
            processes.settle(process.pid)
            used = processes.cpu_seconds(process.pid) - before
            if statuses != {200: options.uploads}:
                raise SystemExit(f"not every upload was delivered: {statuses}")
            return {
                "cpu_ms": used * 1000 / options.uploads,
                "per_second": options.uploads / seconds,
                "p50_ms": percentile(latencies, 0.5) * 1000,
                "p99_ms": percentile(latencies, 0.99) * 1000,
                "peak_mb": processes.memory(process.pid, "VmHWM") / 1e6,
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--services", default="1,5,20")
    parser.add_argument("--lanes", default=",".join(LANES))
    parser.add_argument("--uploads", type=int, default=60)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    with gateway.running(0, 0, "  max_edge: 0\n  quality: 88\n  format: jpeg") as (_, port):
        photos = photo.make(f"http://127.0.0.1:{port}")
    print(f"{photo.WIDTH}x{photo.HEIGHT}, {len(photos['upright']) / 1e6:.2f} MB; {options.uploads} uploads, "
          f"{options.at_once} at once, median of {options.rounds} rounds\n")
    print("| lane | services | CPU ms/upload | uploads/s | p50 ms | p99 ms | peak MB |\n|---|---|---|---|---|---|---|")
    results = []
    for lane in options.lanes.split(","):
        name, image = LANES[lane]
        for services in map(int, options.services.split(",")):
            rounds = [measure(photos[name], image, services, options) for _ in range(options.rounds)]
            row = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
            results.append({"lane": lane, "services": services, **row})
            print(f"| {lane} | {services} | {row['cpu_ms']:.2f} | {row['per_second']:.1f} | {row['p50_ms']:.1f} "
                  f"| {row['p99_ms']:.1f} | {row['peak_mb']:.0f} |", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
