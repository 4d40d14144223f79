# SPDX-License-Identifier: Apache-2.0
"""A service that takes any upload, drops the bytes and answers with a link.

    sink.py [--delay SECONDS] [--hang SHARE] [--fail SHARE]

Prints `sink ready PORT`. GET /stats answers with the uploads seen; POST /reset starts over.
"""
import argparse
import asyncio
import json
import random

seen = {"uploads": 0, "bytes": 0, "failed": 0}


class Connection(asyncio.Protocol):
    def __init__(self, options):
        self.options, self.head, self.left, self.length, self.path = options, b"", None, 0, ""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        while data:
            if self.left is None:
                self.head += data
                end = self.head.find(b"\r\n\r\n")
                if end < 0:
                    return
                data, head = self.head[end + 4:], self.head[:end].decode("latin-1")
                self.head = b""
                self.path = head.split(" ", 2)[1]
                fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                self.length = self.left = int(fields.get("content-length", "0"))
            taken = min(self.left, len(data))
            self.left -= taken
            data = data[taken:]
            if self.left == 0:
                self.left = None
                self.finish()

    def finish(self):
        if self.path == "/stats":
            return self.answer(200, dict(seen))
        if self.path == "/reset":
            seen.update(uploads=0, bytes=0, failed=0)
            return self.answer(200, {})
        if random.random() < self.options.hang:
            return
        seen["uploads"] += 1
        seen["bytes"] += self.length
        fails = random.random() < self.options.fail
        seen["failed"] += fails
        reply = (500, {"error": "no"}) if fails else (200, {"url": f"http://sink.invalid/{seen['uploads']}.jpg"})
        if self.options.delay:
            asyncio.get_running_loop().call_later(self.options.delay, self.answer, *reply)
        else:
            self.answer(*reply)

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
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(options), "127.0.0.1", 0, backlog=4096)
    print("sink ready", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
