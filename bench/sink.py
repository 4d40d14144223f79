# SPDX-License-Identifier: Apache-2.0
"""A service that takes any upload, drops the bytes and answers with a link.

    sink.py [--delay SECONDS] [--hang SHARE] [--fail SHARE]

Prints `sink ready PORT`. GET /stats answers with the uploads seen; POST /reset starts over.

A path may ask for faults of its own: `?wait=0.2` answers after 0 to 0.2 seconds; `fail=0.1` answers every tenth upload
with 500, `drop` hangs up when it has the upload, `cut` in the middle of it, `hang` never answers. POST /faults/off and
/faults/on switch them. What came with a header `X-Upload` is noted: POST /records gives a list with one `PATH UPLOAD END`
for each and forgets them; the end is `taken`, `fail`, `drop`, `cut` or `hang`.
"""
import argparse
import asyncio
import json
import random
import resource
import urllib.parse

seen = {"uploads": 0, "bytes": 0, "failed": 0}
records = []
faults = {"on": True}
SHARES = ("fail", "drop", "cut", "hang")


class Connection(asyncio.BufferedProtocol):
    # One buffer for all: what arrives is done with before the next connection is looked at.
    space = memoryview(bytearray(1 << 20))

    def __init__(self, options):
        self.options, self.head, self.left, self.length, self.path, self.upload = options, b"", None, 0, "", ""
        self.fault, self.until, self.wait = "", 0, 0.0

    def connection_made(self, transport):
        self.transport = transport

    def get_buffer(self, hint):
        return self.space

    def buffer_updated(self, count):
        if self.left is not None and count < self.left:
            self.left -= count
            if self.left < self.until:
                self.hang_up()
            return
        data = bytes(self.space[:count])
        while data:
            if self.left is None:
                self.head += data
                end = self.head.find(b"\r\n\r\n")
                if end < 0:
                    return
                data, head = self.head[end + 4:], self.head[:end].decode("latin-1")
                self.head = b""
                self.begin(head)
            taken = min(self.left, len(data))
            self.left -= taken
            data = data[taken:]
            if self.left == 0:
                self.left = None
                self.finish()
            elif self.left < self.until:
                return self.hang_up()

    def begin(self, head):
        self.path, _, query = head.split(" ", 2)[1].partition("?")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        self.length = self.left = int(fields.get("content-length", "0"))
        self.upload = fields.get("x-upload", "")
        self.fault, self.until, self.wait = "", 0, self.options.delay
        if not query or not faults["on"]:
            return
        asked = {key: float(values[0]) for key, values in urllib.parse.parse_qs(query).items()}
        self.wait += random.random() * asked.get("wait", 0)
        chance = random.random()
        for name in SHARES:
            chance -= asked.get(name, 0)
            if chance < 0:
                self.fault = name
                break
        self.until = self.length // 2 if self.fault == "cut" else 0

    def note(self, end):
        if self.upload:
            records.append(f"{self.path} {self.upload} {end}")

    def hang_up(self):
        self.note(self.fault)
        self.transport.abort()

    def finish(self):
        if not self.path[1:].isdigit() and self.ask():
            return
        seen["uploads"] += 1
        seen["bytes"] += self.length
        fails = random.random() < self.options.fail or self.fault == "fail"
        if self.fault == "drop":
            return self.hang_up()
        if self.fault == "hang" or random.random() < self.options.hang:
            return self.note("hang")
        seen["failed"] += fails
        self.note("fail" if fails else "taken")
        reply = (500, {"error": "no"}) if fails else (200, {"url": f"http://sink.invalid/{seen['uploads']}.jpg"})
        if self.wait:
            asyncio.get_running_loop().call_later(self.wait, self.answer, *reply)
        else:
            self.answer(*reply)

    def ask(self):
        """Answers what is no upload."""
        if self.path == "/stats":
            self.answer(200, dict(seen))
        elif self.path == "/reset":
            seen.update(uploads=0, bytes=0, failed=0)
            self.answer(200, {})
        elif self.path.startswith("/faults/"):
            faults["on"] = self.path == "/faults/on"
            self.answer(200, {})
        elif self.path == "/records":
            self.answer(200, records)
            records.clear()
        else:
            return False
        return True

    def answer(self, status, value):
        body = json.dumps(value).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--hang", type=float, default=0)
    parser.add_argument("--fail", type=float, default=0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(options), "127.0.0.1", 0, backlog=4096)
    print("sink ready", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
