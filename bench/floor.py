#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the gateway beside the C reference and the Python baseline, pair by pair, and holds the ratios against their limits.

    bench/floor.py [--only NAME,...] [--rounds 5] [--requests 60] [--without-python]

Wants `swift build -c release`, and the folder `bench` of the reference (../shared/bench, or FANLIGHT_FLOOR). Status 0 when every limit holds.
"""
import argparse
import json
import os
import shutil
import struct
import subprocess
import sys

import gateway

FLOOR = os.environ.get("FANLIGHT_FLOOR", os.path.join(os.path.dirname(gateway.ROOT), "shared", "bench"))
WORK = os.path.join(gateway.ROOT, ".build", "floor")
PORT, SINK = 18081, 19001

# Lean: without what the reference does not do either, hashing the picture and waiting for the disk.
LEAN = ["journal: {durability: relaxed}"], ["  sha256: false"]

# name, photograph, services, the other server, limits
PAIRS = [
    ("pass-1", "upright", 1, "build/gateway {targets} --mode pass --port {port}", {"cpu_ms": 1.25, "idle_mb": 1.0, "start_ms": 1.0}),
    ("pass-20", "upright", 20, "build/gateway {targets} --mode pass --port {port}", {"cpu_ms": 1.15, "peak_mb": 1.5}),
    ("lean-pass-1", "upright", 1, "build/gateway {targets} --mode pass --port {port}", {"cpu_ms": 1.25}),
    ("lean-pass-20", "upright", 20, "build/gateway {targets} --mode pass --port {port}", {"cpu_ms": 1.15}),
    ("lean-rotate-1", "sideways", 1, "build/gateway {targets} --mode rotate --port {port}", {"cpu_ms": 1.05}),
    ("rotate-1", "sideways", 1, "build/gateway {targets} --mode rotate --port {port}", {"cpu_ms": 1.05}),
    ("rotate-20", "sideways", 20, "build/gateway {targets} --mode rotate --port {port}", {"peak_mb": 1.5}),
    ("resize-1", "resized", 1, "build/gateway {targets} --mode resize --port {port}", {"cpu_ms": 0.45}),
    ("resize-20", "resized", 20, "build/gateway {targets} --mode resize --port {port}", {"peak_mb": 1.5}),
    ("python-pass-5", "upright", 5, "PYTHON {targets} --mode pass --port {port}", {"cpu_ms": 0.7, "p99_ms": 0.7}),
    ("python-rotate-5", "sideways", 5, "PYTHON {targets} --mode rotate --port {port}", {"cpu_ms": 0.7, "p99_ms": 0.7}),
    ("python-resize-5", "resized", 5, "PYTHON {targets} --mode resize --port {port}", {"cpu_ms": 0.7, "p99_ms": 0.7}),
]


def prepare():
    """A copy of the reference, built, with both photographs."""
    if not os.path.isdir(FLOOR):
        raise SystemExit(f"bench-floor: the reference is not at {FLOOR}; name its folder in FANLIGHT_FLOOR")
    shutil.copytree(FLOOR, WORK, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build"))
    subprocess.run(["make", "--silent", "-C", WORK, "all", "build/photo.jpg"], check=True, stdout=subprocess.DEVNULL)
    with open(f"{WORK}/build/photo.jpg", "rb") as file:
        photo = bytearray(file.read())
    upright(photo)
    with open(f"{WORK}/build/upright.jpg", "wb") as file:
        file.write(photo)


def upright(photo):
    """Sets the orientation in the EXIF segment to 1."""
    tiff = photo.index(b"Exif\0\0") + 6
    order = "<" if photo[tiff:tiff + 2] == b"II" else ">"
    first, = struct.unpack_from(order + "I", photo, tiff + 4)
    count, = struct.unpack_from(order + "H", photo, tiff + first)
    for number in range(count):
        entry = tiff + first + 2 + 12 * number
        if struct.unpack_from(order + "H", photo, entry)[0] == 0x0112:
            struct.pack_into(order + "H", photo, entry + 8, 1)


def configuration(name, services, edge):
    """A configuration for that many services; the reference's sink has one port for each."""
    journal, image = LEAN if name.startswith("lean-") else ([], [])
    lines = ["server:", f"  listen: 127.0.0.1:{PORT}", f"  state: {WORK}/state-{name}", *journal, "image:", *image,
             f"  max_edge: {edge}", "  quality: 82", "services:"]
    for number in range(services):
        url = f"http://127.0.0.1:{SINK + number}/3/image?delay=0"
        lines += [f"  s{number}:", f"    url: {url}", "    file: file", "    link: $.data.link"]
    path = f"{WORK}/{name}.yaml"
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    shutil.rmtree(f"{WORK}/state-{name}", ignore_errors=True)
    return path


def compare(name, photo, services, other, limits, options, extra=()):
    """One pair; gives the figures, and whether all limits held."""
    path = configuration(name, services, 2048 if photo == "resized" else 0)
    image = "upright" if photo == "upright" else "photo"
    figures = f"{WORK}/{name}.json"
    command = [sys.executable, "compare.py", "--image", f"build/{image}.jpg", "--targets", str(services),
               "--rounds", str(options.rounds), "--requests", str(options.requests), "--port", str(PORT),
               "--sink-port", str(SINK), "--path", "/v1/uploads", "--ready", "/healthz", "--json", figures,
               "--name-a", "fanlight", "--a", f"{gateway.PROGRAM} serve --config {path}", *extra]
    if other:
        command += ["--name-b", other.split()[0].split("/")[-1], "--b", other]
        command += [f"--limit={key}={value}" for key, value in limits.items()]
    print(f"\n## {name}", flush=True)
    status = subprocess.run(command, cwd=WORK).returncode
    with open(figures) as file:
        return json.load(file), status == 0


def python_baseline():
    """The command of the Python baseline, in an environment of its own."""
    folder = f"{WORK}/venv"
    if not os.path.exists(f"{folder}/bin/pip"):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([f"{folder}/bin/pip", "--quiet", "install", "-r", f"{WORK}/requirements.txt"], check=True)
    # Both servers of a pair are posted to at the same path.
    with open(f"{WORK}/baseline_python.py") as file:
        text = file.read()
    with open(f"{WORK}/baseline_at_our_path.py", "w") as file:
        file.write(text.replace('"/upload"', '"/v1/uploads"'))
    return f"{folder}/bin/python baseline_at_our_path.py --client aiohttp --image pyvips"


def median(rounds, key):
    values = sorted(one[key] for one in rounds)
    return values[len(values) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--without-python", action="store_true")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    prepare()
    python, results, missed = None, {}, []
    for name, photo, services, other, limits in PAIRS:
        if wanted and name not in wanted or other.startswith("PYTHON") and options.without_python:
            continue
        if other.startswith("PYTHON"):
            python = python or python_baseline()
            other = other.replace("PYTHON", python)
        results[name], holds = compare(name, photo, services, other, limits, options)
        missed += [] if holds else [name]
    if "pass-1" in results and "pass-20" in results:
        cost = {key: (median(results["pass-20"]["rounds"][key], "cpu_ms") - median(results["pass-1"]["rounds"][key], "cpu_ms")) / 19
                for key in ("a", "b")}
        ratio = cost["a"] / cost["b"]
        print(f"\n## one more service\n{cost['a']:.2f} ms CPU, {cost['b']:.2f} in the reference: {ratio:.2f} of at most 1.15")
        missed += ["one-more-service"] if ratio > 1.15 else []
    if not wanted or "in-flight" in wanted:
        slow = argparse.Namespace(rounds=1, requests=500)
        figures, _ = compare("in-flight", "upright", 5, None, {}, slow,
                             ("--concurrency", "500", "--warmup", "5", "--sink-args", "--delay-ms 2000"))
        peak = figures["rounds"]["a"][0]["peak_mb"]
        print(f"500 uploads in flight to 5 slow services: {peak:.0f} MB of at most 300")
        missed += ["in-flight"] if peak > 300 or not figures["rounds"]["a"][0]["sound"] else []
    print("\nover the limit: " + ", ".join(missed) if missed else "\nevery limit holds")
    return 1 if missed else 0


sys.exit(main())
