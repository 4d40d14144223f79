#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uploads at a share of the highest rate to services with random faults, and judges whether the gateway stays as it was.

    bench/soak.py [MINUTES] [--share 0.8] [--edge 1024] [--rate UPLOADS_A_SECOND]

Measures the highest rate with the same services and faults, then sends at `share` of it, whether what was sent is answered or not. Twice a
minute it prints what the gateway holds, and holds every report against what the services saw. Ends with status 1 when

- memory or descriptors still rise in the second half of the time,
- an upload got no report, or one with a refusal,
- a delivery is told that no service saw, or a service took a picture twice, or one that no report tells.
"""
import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
import urllib.request

import gateway
import load
import photo
import processes
from run import SINK, percentile

# Each picture goes to all of them.
SERVICES = {"steady": "", "slow": "?wait=0.3", "flaky": "?fail=0.1", "lossy": "?drop=0.02&cut=0.02", "dead": "?hang=0.001"}
RETENTION = "journal:\n  keep_size: 20MB\n  pictures_for: 1m\n  pictures_size: 100MB\n"
# Uploads under way at most: while the highest rate is measured, and afterwards where the machine is too busy for the
# rate. More than ever before would need more memory than ever before, which is no leak.
AT_ONCE = 200
# What the second half may add, by a line through its samples: a part of the middle value, or this much.
MAY_RISE = {"memory": (0.05, 3e6), "descriptors": (0.25, 50)}


class Ledger:
    """What reports told and what services saw, until both are known."""

    def __init__(self, sink):
        self.sink, self.told, self.saw, self.closed = sink, {}, {}, set()
        self.wrong, self.counts, self.late = [], {}, {}

    def report(self, status, body):
        if status not in (200, 207, 502):
            self.wrong.append(f"an upload was refused with {status}: {body[:200]}")
            return
        report = json.loads(body)
        if report["id"] in self.told or report["id"] in self.closed:
            self.wrong.append(f"two uploads have the id {report['id']}")
        self.told[report["id"]] = {one["service"]: one["status"] for one in report["deliveries"]}

    def lost(self, error):
        self.wrong.append(f"an upload got no answer: {error!r}")

    def collect(self, is_last=False):
        """Takes what the services saw meanwhile, and looks at every upload whose report came before."""
        known = list(self.told)
        for line in json.loads(post(self.sink + "/records")):
            path, upload, end = line.split(" ")
            if upload in self.closed:
                self.wrong.append(f"{path} got {upload} ({end}) after its report")
            self.saw.setdefault(upload, {}).setdefault(path[1:], []).append(end)
        for upload in known:
            self.compare(upload, self.told.pop(upload), self.saw.pop(upload, {}))
            self.closed.add(upload)
        if is_last:
            self.wrong += [f"services saw {upload}, of which no report tells" for upload in self.saw]

    def compare(self, upload, told, saw):
        if sorted(told) != sorted(SERVICES):
            self.wrong.append(f"{upload}: the report has {sorted(told)}")
        for service, status in told.items():
            ends = saw.get(service, [])
            self.counts[service, status] = self.counts.get((service, status), 0) + 1
            taken = ends.count("taken")
            # A picture that a service had completely, with or without its answer, must not come again.
            arrived = sum(end != "fail" and end != "cut" for end in ends)
            if arrived > 1:
                self.wrong.append(f"{upload}: {service} got it {arrived} times: {ends}")
            if (status == "delivered") != (taken == 1) and status != "unknown":
                self.wrong.append(f"{upload}: {service} is told as {status}, but saw {ends}")
            if status == "pending":
                self.wrong.append(f"{upload}: {service} had no outcome in time")


def post(url):
    with urllib.request.urlopen(urllib.request.Request(url, b"", method="POST"), timeout=60) as reply:
        return reply.read()


def configuration(folder, sink):
    lines = ["server:", "  listen: 127.0.0.1:0", f"  state: {folder}/state", "  answer_within: 60s", "image:", "  max_edge: 0",
             RETENTION + "services:"]
    for name, query in SERVICES.items():
        lines += [f"  {name}:", f"    url: {sink}/{name}{query}", "    file: file", "    link: $.url",
                  "    headers: {X-Upload: '${upload_id}'}", "    limits: {concurrency: 500}",
                  "    breaker: {failures: 0}", "    timeouts: {stall: 5s, total: 10s}"]
    return "\n".join(lines) + "\n"


def pictures(edge):
    """Nine of ten are passed on, the tenth is turned by a helper process."""
    with gateway.running(0, 0, f"  max_edge: {edge}\n  quality: 88\n  format: jpeg") as (_, port):
        made = photo.make(f"http://127.0.0.1:{port}")
    return [made["upright"]] * 9 + [made["sideways"]]


def slope(samples):
    """Rise from the first to the last of some values, by the line of least squares through them."""
    places = range(len(samples))
    middle, mean = statistics.mean(places), statistics.mean(samples)
    spread = sum((place - middle) ** 2 for place in places)
    return sum((place - middle) * (value - mean) for place, value in zip(places, samples)) / spread * (len(samples) - 1)


def judge(name, samples):
    """Says whether the second half is flat."""
    half = samples[len(samples) // 2:]
    if len(half) < 3:
        print(f"{name}: too short to tell")
        return True
    share, least = MAY_RISE[name]
    middle = statistics.median(half)
    rise, bound = slope(half), max(share * middle, least)
    unit, divisor = (" MB", 1e6) if name == "memory" else ("", 1)
    print(f"{name}: {middle / divisor:.1f}{unit} in the second half, {rise / divisor:+.1f} from its begin to its end, "
          f"at most {bound / divisor:.1f} allowed")
    return rise <= bound


async def watch(process, ledger, pace, seconds, samples):
    """Prints a line twice a minute."""
    print("| minute | memory MB | descriptors | uploads | CPU ms/upload | p50 ms | p99 ms | wrong |\n|---|---|---|---|---|---|---|---|")
    start, sent, used = time.perf_counter(), 0, processes.cpu_seconds(process.pid)
    while time.perf_counter() - start < seconds - 1:
        await asyncio.sleep(min(30, seconds / 8))
        await asyncio.to_thread(ledger.collect)
        samples["memory"].append(processes.memory_of(process.pid, "VmRSS"))
        samples["descriptors"].append(processes.descriptors(process.pid))
        latencies, pace.latencies = pace.latencies or [0], []
        now = processes.cpu_seconds(process.pid)
        print(f"| {(time.perf_counter() - start) / 60:.1f} | {samples['memory'][-1] / 1e6:.1f} | {samples['descriptors'][-1]} "
              f"| {pace.sent} | {(now - used) * 1e3 / max(1, pace.sent - sent):.2f} | {percentile(latencies, 0.5) * 1e3:.0f} "
              f"| {percentile(latencies, 0.99) * 1e3:.0f} | {len(ledger.wrong)} |", flush=True)
        sent, used = pace.sent, now


async def soak(process, port, sink, requests, rate, seconds):
    ledger, samples = Ledger(sink), {"memory": [], "descriptors": []}
    pace = load.Pace(port, requests, ledger.report, ledger.lost, most=AT_ONCE)
    await asyncio.gather(pace.run(rate, seconds), watch(process, ledger, pace, seconds, samples))
    ledger.collect(is_last=True)
    print(f"\n{pace.sent} uploads, {pace.late} of them begun late; "
          + ", ".join(f"{name} {status} {count}" for (name, status), count in sorted(ledger.counts.items())))
    is_flat = [judge(name, values) for name, values in samples.items()]
    for line in ledger.wrong[:20]:
        print("wrong:", line)
    if len(ledger.wrong) > 20:
        print(f"and {len(ledger.wrong) - 20} more")
    return 0 if all(is_flat) and not ledger.wrong else 1


def highest_rate(port, picture):
    """Uploads a second with as many at once as fill the time in which services let wait."""
    measured = []
    for _ in range(3):
        latencies, _, _ = asyncio.run(load.run(port, picture, 10**9, AT_ONCE, 8))
        # The last ones may wait for a service that hangs.
        measured.append(len(latencies) / 8)
    return statistics.median(measured)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float, nargs="?", default=60)
    parser.add_argument("--share", type=float, default=0.8)
    parser.add_argument("--edge", type=int, default=1024)
    parser.add_argument("--rate", type=float, help="instead of a share of the highest")
    options = parser.parse_args()
    photos = pictures(options.edge)
    with processes.started(SINK, r"sink ready (\d+)") as (_, sink_port), \
            tempfile.TemporaryDirectory(prefix="fanlight-soak-") as folder:
        sink = f"http://127.0.0.1:{sink_port}"
        with gateway.started(folder, configuration(folder, sink)) as (process, port):
            requests = [load.request(one, f"127.0.0.1:{port}") for one in photos]
            rate = options.rate
            if not rate:
                highest = highest_rate(port, photos[0])
                post(sink + "/records")
                print(f"highest rate: {highest:.0f} uploads a second to {len(SERVICES)} services")
                rate = options.share * highest
            print(f"{rate:.0f} a second for {options.minutes:g} minutes, pictures of {len(photos[0]) / 1e3:.0f} KB\n", flush=True)
            return asyncio.run(soak(process, port, sink, requests, rate, options.minutes * 60))


if __name__ == "__main__":
    sys.exit(main())
