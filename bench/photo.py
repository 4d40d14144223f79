# SPDX-License-Identifier: Apache-2.0
"""The pictures that are uploaded: one photograph of 12 megapixels, stored upright and stored sideways.

Made by the gateway itself from a bitmap with the grain of a photograph, so that nothing has to be fetched.
"""
import json
import random
import struct
import urllib.request

WIDTH, HEIGHT = 4032, 3024


def bitmap():
    """A 24-bit BMP: slow gradients with a little noise on every pixel, which is what entropy coding costs time on."""
    generator = random.Random(7)
    row_bytes = WIDTH * 3
    gradient = bytes(value for x in range(WIDTH) for value in ((x * 96 // WIDTH) + 64, 90, 160 - x * 96 // WIDTH))
    low_bits = int.from_bytes(b"\x1f" * row_bytes, "big")
    grain = [int.from_bytes(generator.randbytes(row_bytes), "big") & low_bits for _ in range(97)]
    base = int.from_bytes(gradient, "big")
    rows = []
    for y in range(HEIGHT):
        shade = int.from_bytes(bytes([(y * 64 // HEIGHT) & 0x30]) * row_bytes, "big")
        rows.append((base ^ shade ^ grain[y % 97] ^ grain[(y * 31) % 97]).to_bytes(row_bytes, "big"))
    head = struct.pack("<2sIHHI", b"BM", 54 + row_bytes * HEIGHT, 0, 0, 54)
    head += struct.pack("<IiiHHIIiiII", 40, WIDTH, HEIGHT, 1, 24, 0, row_bytes * HEIGHT, 2835, 2835, 0, 0)
    return head + b"".join(rows)


def exif(orientation):
    """An EXIF segment with an orientation and a position, which the gateway must read and must not pass on."""
    def entry(tag, kind, count, value):
        return struct.pack(">HHI", tag, kind, count) + value

    tiff = b"MM\x00\x2a" + struct.pack(">I", 8) + struct.pack(">H", 2)
    tiff += entry(0x0112, 3, 1, struct.pack(">HH", orientation, 0)) + entry(0x8825, 4, 1, struct.pack(">I", 38))
    tiff += struct.pack(">I", 0) + struct.pack(">H", 4)
    tiff += entry(1, 2, 2, b"N\0\0\0") + entry(2, 5, 3, struct.pack(">I", 92))
    tiff += entry(3, 2, 2, b"E\0\0\0") + entry(4, 5, 3, struct.pack(">I", 116)) + struct.pack(">I", 0)
    tiff += struct.pack(">12I", 48, 1, 12, 1, 2952, 100, 16, 1, 22, 1, 2568, 100)
    payload = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(payload) + 2) + payload


def make(url):
    """Posts the bitmap to a gateway whose one service keeps it as a JPEG, and returns both photographs."""
    request = urllib.request.Request(url + "/v1/uploads", bitmap(), {"Content-Type": "image/bmp"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        link = next(iter(json.load(reply)["links"].values()))
    with urllib.request.urlopen(link, timeout=60) as reply:
        jpeg = reply.read()
    return {name: jpeg[:2] + exif(value) + jpeg[2:] for name, value in (("upright", 1), ("sideways", 6))}


def padded(size):
    """A GIF of one pixel with a comment that makes it about so many bytes; it is passed on whole with `metadata: keep`."""
    head = b"GIF89a" + bytes([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
    comment = b"\x21\xfe" + (b"\xff" + b"Fanlight" * 31 + b"measure") * (size // 256) + b"\0"
    return head + comment + bytes([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B])
