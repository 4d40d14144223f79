// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What a picture's XMP says that the gateway wants to know.
struct XMPFacts {
    var position: PositionReading?
    var companions: Set<Companion> = []

    /// Reads the packets, but only where they name one of the wanted things: most of the time there is none.
    init(_ blocks: MetadataBlocks, policy: PositionPolicy) {
        guard let text = blocks.xmp, Self.isWorthReading(text) || !blocks.extensions.isEmpty else { return }
        for packet in blocks.xmpPackets() {
            let reading = XMPPosition.read(packet, policy: policy)
            if position?.geotag == nil, reading != PositionReading() { position = reading }
            if packet.uses(XMPSpace.gainMap) || packet.uses(XMPSpace.appleGainMap) { companions.insert(.gainMap) }
            let isFilm = ["MotionPhoto", "MicroVideo"].contains { packet.text(XMPSpace.camera, $0) == "1" }
            if isFilm { companions.insert(.film) }
        }
    }

    private static func isWorthReading(_ text: ByteWindow) -> Bool {
        // A packet in another encoding than UTF-8 has a zero in its first bytes.
        let isWide = text.head(4).contains(0) || text.has([0xFE, 0xFF]) || text.has([0xFF, 0xFE])
        return isWide || ["GPS", "gain-map", "HDRGainMap", "photos/1.0/camera"].contains { text.contains($0) }
    }
}
