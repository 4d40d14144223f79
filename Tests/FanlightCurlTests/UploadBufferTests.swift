// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightCurl

@Suite struct UploadBufferTests {
    @Test(
        "A buffer holds the body with a form's marks, within what so many transfers may take",
        arguments: [
            (running: 0, size: 0, buffer: 16_384), (0, 12_000, 16_384), (0, 12_288, 32_768), (0, 45_000, 49_152),
            (0, 250_000, 262_144), (0, 3_000_000, 262_144), (127, .max, 262_144), (128, 3_000_000, 65_536),
            (128, 10_000, 16_384), (511, 60_000, 65_536), (512, 0, 16_384), (512, 3_000_000, 16_384),
        ]
    )
    func size(running: Int, size: Int, buffer: Int) {
        #expect(Transfer.uploadBuffer(running: running, size: size) == buffer)
    }
}
