// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightCurl

@Suite struct PieceReaderTests {
    /// Reads the whole body in steps of that many bytes.
    private func read(_ pieces: [HTTPRequest.Piece], step: Int) -> [UInt8] {
        var out: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: step)
        while true {
            // SAFETY: the buffer is used inside the closure only.
            let got = unsafe buffer.withUnsafeMutableBytes { unsafe PieceReader.read(pieces, at: out.count, into: $0) }
            guard got > 0 else { return out }
            out += buffer[..<got]
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 64, 65_536])
    func piecesFollowEachOtherForEveryStep(_ step: Int) {
        let pieces: [HTTPRequest.Piece] = [
            .bytes(Array("<".utf8)), .base64(spooled(Array("picture".utf8))), .bytes([]),
            .file(spooled(Array("raw".utf8))), .bytes(Array(">".utf8)),
        ]
        let expected = "<cGljdHVyZQ==raw>"
        #expect(String(decoding: read(pieces, step: step), as: UTF8.self) == expected)
        #expect(pieces.reduce(0) { $0 + $1.size } == expected.utf8.count)
    }

    @Test(arguments: 0...8)
    func base64IsPaddedForEveryLength(_ count: Int) {
        let texts = ["", "AA==", "AAE=", "AAEC", "AAECAw==", "AAECAwQ=", "AAECAwQF", "AAECAwQFBg==", "AAECAwQFBgc="]
        let file = spooled((0..<count).map { UInt8($0) })
        #expect(String(decoding: read([.base64(file)], step: 3), as: UTF8.self) == texts[count])
    }

    @Test func aLargePictureIsEncodedWhole() {
        let bytes = noise(200_001)
        let text = read([.base64(spooled(bytes))], step: 16_384)
        #expect(text.count == 266_668)
        #expect(text == read([.base64(spooled(bytes))], step: 262_144))
    }
}
