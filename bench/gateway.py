# SPDX-License-Identifier: Apache-2.0
"""A gateway of this project with as many services as wanted."""
import contextlib
import os
import tempfile

import processes

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("FANLIGHT", os.path.join(ROOT, ".build/release/fanlight"))


def configuration(folder, sink_port, services, image, server=""):
    lines = ["server:", "  listen: 127.0.0.1:0", f"  state: {folder}/state", "  max_body: 80MB", server, "image:", image,
             "services:"]
    for number in range(services):
        lines += [f"  s{number}:", f"    url: http://127.0.0.1:{sink_port}/{number}", "    file: file", "    link: $.url"]
    if not services:
        lines += ["  album:", "    adapter: local", f"    folder: {folder}/album"]
    return "\n".join(line for line in lines if line) + "\n"


@contextlib.contextmanager
def started(folder, text):
    """Starts a gateway with a configuration, in a folder that lasts longer; gives the process and its port."""
    path = os.path.join(folder, "config.yaml")
    with open(path, "w") as file:
        file.write(text)
    # The log would grow for as long as it runs.
    with processes.started(
            [PROGRAM, "serve", "--config", path], r"fanlight ready http://127\.0\.0\.1:(\d+)") as (process, port):
        yield process, int(port)


@contextlib.contextmanager
def running(sink_port, services, image, server=""):
    """Gives the process and its port."""
    with tempfile.TemporaryDirectory(prefix="fanlight-bench-") as folder:
        with started(folder, configuration(folder, sink_port, services, image, server)) as pair:
            yield pair
