# SPDX-License-Identifier: Apache-2.0
"""Starting programs that say when they are ready, and what the kernel knows of them."""
import contextlib
import os
import re
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def started(command, ready, log=subprocess.DEVNULL):
    """Runs a command until the block ends; gives the process and the first group of its ready line."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        for line in process.stdout:
            found = re.match(ready, line)
            if found:
                yield process, found.group(1)
                return
        raise SystemExit(f"{command[0]} ended before it was ready")
    finally:
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def tree(pid):
    """A process and all below it."""
    found = [pid]
    for name in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{name}/task"):
                with open(f"/proc/{name}/task/{task}/children") as file:
                    found += [int(child) for child in file.read().split()]
    return found


def cpu_seconds(pid):
    """User and system time of a process tree, children that ended and were waited for among it."""
    total = 0
    for name in tree(pid):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
            if name == pid:
                total += int(fields[13]) + int(fields[14])
    return total / TICK


def memory_of(pid, field):
    """`VmHWM` (peak) or `VmRSS` (now) of one process, in bytes."""
    with open(f"/proc/{pid}/status") as file:
        found = re.search(rf"{field}:\s+(\d+) kB", file.read())
    return int(found.group(1)) * 1024 if found else 0


def memory(pid, field):
    """The same of a process tree together."""
    total = 0
    for name in tree(pid):
        with contextlib.suppress(OSError):
            total += memory_of(name, field)
    return total


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def settle(pid, seconds=0.3):
    """Waits until a process does nothing."""
    before = -1.0
    while cpu_seconds(pid) != before:
        before = cpu_seconds(pid)
        time.sleep(seconds)
