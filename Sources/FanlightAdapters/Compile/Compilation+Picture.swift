// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    /// Reads the picture keys of a service; those of `limits:` are read before.
    func pictureWishes(_ node: Node, into overrides: inout ConstraintOverrides) {
        overrides.metadata = choice(node["metadata"], named: "metadata", MetadataPolicy.init, MetadataPolicy.allCases)
        overrides.colour = choice(node["color"], named: "color", ColourPolicy.init, ColourPolicy.allCases)
        overrides.rotation = choice(node["rotate"], named: "rotate", RotationPolicy.init, RotationPolicy.allCases)
        overrides.background = read(node["background"], ValueReader.colour)
        overrides.quality = read(node["quality"]) { (text) throws(Expectation) in
            try ValueReader.integer(text, in: 1...100)
        }
        guard let format = node["format"], !format.isNull, let type = mediaType(format) else { return }
        overrides.format = type
        if let taken = overrides.formats, !taken.contains(type) {
            error(format, "format: \(type.rawValue) is not among limits.formats")
        } else if ![.jpeg, .png, .webp, .gif].contains(type) {
            error(format, "format: \(type.rawValue) cannot be made; write jpeg, png, webp or gif")
        }
    }

    private func choice<Value: RawRepresentable>(
        _ node: Node?,
        named name: String,
        _ make: (String) -> Value?,
        _ all: [Value]
    ) -> Value? where Value.RawValue == String {
        guard let node, !node.isNull, let text = text(node) else { return nil }
        if let value = make(text) { return value }
        let names = all.map(\.rawValue)
        error(
            node,
            "\(name) is one of \(names.joined(separator: ", "))" + Self.hint(NearestName.of(text, among: names))
        )
        return nil
    }
}
