# SPDX-License-Identifier: Apache-2.0
"""Posts one picture again and again over kept connections, a fixed number at a time."""
import asyncio
import time

BOUNDARY = "fanlight-bench-5d1c"


def request(picture, host):
    head = (f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"photo.jpg\"\r\n"
            "Content-Type: image/jpeg\r\n\r\n").encode()
    body = head + picture + f"\r\n--{BOUNDARY}--\r\n".encode()
    return (f"POST /v1/uploads HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
            f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n").encode() + body


async def post(reader, writer, data):
    writer.write(data)
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.split("content-length: ", 1)[1].split("\r\n", 1)[0])
    return int(head.split(" ", 2)[1]), await reader.readexactly(length)


async def run(port, picture, count, at_once):
    """Returns the latencies in seconds, the statuses, and the whole time."""
    data = request(picture, f"127.0.0.1:{port}")
    left = iter(range(count))
    latencies, statuses = [], {}

    async def client():
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        for _ in left:
            start = time.perf_counter()
            status, _ = await post(reader, writer, data)
            latencies.append(time.perf_counter() - start)
            statuses[status] = statuses.get(status, 0) + 1
        writer.close()

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(at_once)))
    return latencies, statuses, time.perf_counter() - start
