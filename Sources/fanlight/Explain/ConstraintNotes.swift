// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

/// Which bounds a rendition has to keep, and where each comes from.
enum ConstraintNotes {
    /// One line a bound: what, and `image` or the service's own key.
    static func of(_ service: CompiledService, base: RenditionConstraints) -> [String] {
        let own = service.constraints
        let all = own.applied(to: base)
        var notes: [String] = []
        func add(_ what: String, _ isOwn: Bool, _ key: String, _ general: String) {
            notes.append("\(what) (\(isOwn ? "\(key) of \(service.name)" : general))")
        }
        if all.maxEdge > 0 {
            add(
                "at most \(all.maxEdge) pixels an edge",
                all.maxEdge == own.maxEdge && all.maxEdge != base.maxEdge,
                "limits.edge",
                "image.max_edge"
            )
        }
        if let pixels = all.maxPixels {
            add("at most \(pixels) pixels", pixels == own.maxPixels, "limits.pixels", "image")
        }
        if let bytes = all.maxBytes { add("at most \(bytes) bytes", bytes == own.maxBytes, "limits.bytes", "image") }
        if let frames = all.maxFrames {
            add("at most \(frames) frames", frames == own.maxFrames, "limits.frames", "image")
        }
        if let formats = all.formats {
            add(
                "formats \(formats.map(\.rawValue).joined(separator: ", "))",
                own.formats != nil,
                "limits.formats",
                "image"
            )
        }
        if let format = all.format { add("made as \(format.rawValue)", own.format != nil, "format", "image.format") }
        add("metadata \(all.metadata.rawValue)", own.metadata != nil, "metadata", "image.metadata")
        add("quality \(all.quality) where encoded again", own.quality != nil, "quality", "image.quality")
        if own.rotation != nil || base.rotation != .lossless {
            add("rotation \(all.rotation.rawValue)", own.rotation != nil, "rotate", "image.rotate")
        }
        if own.colour != nil || base.colour != .keep {
            add("colours \(all.colour.rawValue)", own.colour != nil, "color", "image.color")
        }
        return notes
    }
}
