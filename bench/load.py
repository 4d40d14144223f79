# SPDX-License-Identifier: Apache-2.0
"""Posts one picture again and again over kept connections: a fixed number at a time, or so many a second."""
import asyncio
import time

BOUNDARY = "fanlight-bench-5d1c"
# Written at once: more would be copied by asyncio, once for each connection that waits.
PIECE = 1 << 18


def request(picture, host, services=""):
    """One upload to some services, or to all."""
    chosen = (f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"services\"\r\n\r\n{services}\r\n" if services else "")
    head = chosen.encode() + (f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"photo.jpg\"\r\n"
            "Content-Type: image/jpeg\r\n\r\n").encode()
    body = head + picture + f"\r\n--{BOUNDARY}--\r\n".encode()
    return (f"POST /v1/uploads HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
            f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n").encode() + body


async def post(reader, writer, data):
    view = memoryview(data)
    for start in range(0, len(view), PIECE):
        writer.write(view[start:start + PIECE])
        await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.split("content-length: ", 1)[1].split("\r\n", 1)[0])
    return int(head.split(" ", 2)[1]), await reader.readexactly(length)


async def run(port, picture, count, at_once, seconds=None, field=""):
    """Returns the latencies in seconds, the statuses, and the whole time; `seconds` ends it before the count."""
    data = request(picture, f"127.0.0.1:{port}", field)
    left = iter(range(count))
    latencies, statuses = [], {}
    begin = time.perf_counter()

    async def client():
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        for _ in left:
            start = time.perf_counter()
            if seconds and start - begin > seconds:
                break
            status, _ = await post(reader, writer, data)
            latencies.append(time.perf_counter() - start)
            statuses[status] = statuses.get(status, 0) + 1
        writer.close()

    await asyncio.gather(*(client() for _ in range(at_once)))
    return latencies, statuses, time.perf_counter() - begin


class Pace:
    """Uploads at a rate, whether those before are answered or not.

    `answered(status, body)` is told each answer, `lost(error)` each upload without one. Where `most` are under way, an
    upload begins late and is counted in `late`.
    """

    def __init__(self, port, requests, answered, lost, most=500):
        self.port, self.requests, self.answered, self.lost, self.most = port, requests, answered, lost, most
        self.idle, self.under_way, self.late, self.sent, self.latencies = [], set(), 0, 0, []

    async def run(self, rate, seconds):
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            while self.sent < min(time.perf_counter() - start, seconds) * rate:
                if time.perf_counter() - start > seconds:
                    break
                if len(self.under_way) >= self.most:
                    self.late += 1
                    await asyncio.wait(self.under_way, return_when=asyncio.FIRST_COMPLETED)
                    continue
                task = asyncio.create_task(self.one(self.requests[self.sent % len(self.requests)]))
                self.under_way.add(task)
                task.add_done_callback(self.under_way.discard)
                self.sent += 1
            await asyncio.sleep(0.002)
        if self.under_way:
            await asyncio.wait(self.under_way)
        for _, _, writer in self.idle:
            writer.close()

    async def one(self, data):
        start = time.perf_counter()
        try:
            pair = self.kept(start) or await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
            status, body = await post(*pair, data)
        except (OSError, asyncio.IncompleteReadError, IndexError) as error:
            return self.lost(error)
        self.latencies.append(time.perf_counter() - start)
        self.idle.append((time.perf_counter(), *pair))
        self.answered(status, body)

    def kept(self, now):
        """A connection that the gateway has not closed; it lets silent ones go after 30 seconds."""
        while self.idle:
            since, reader, writer = self.idle.pop()
            if now - since < 15 and not reader.at_eof():
                return reader, writer
            writer.close()
        return None
