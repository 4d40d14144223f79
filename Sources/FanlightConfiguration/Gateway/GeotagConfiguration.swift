// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// The `geotag` section: what is taken as a picture's place, and what services are told of it.
public struct GeotagConfiguration: Sendable, Equatable {
    /// True when services are told the place in their own fields.
    public var isForwarded: Bool
    /// Digits of the degrees that services are told, 0...15.
    public var precision: Int
    /// What counts as a position where a file is in doubt.
    public var position: PositionPolicy

    /// Creates a configuration with the defaults of ``section``.
    public init(isForwarded: Bool = true, precision: Int = 7, position: PositionPolicy = PositionPolicy()) {
        self.isForwarded = isForwarded
        self.precision = precision
        self.position = position
    }

    /// Keys under `geotag`.
    static let section = Section(
        "geotag",
        [
            FieldSpec(
                "forward",
                .boolean,
                default: "true",
                "Whether services are told the place in their own fields; what stays in the file is image.metadata"
            ),
            FieldSpec(
                "precision",
                .integer(0...15),
                default: "7",
                "Digits of the degrees that services are told: 7 are 1 cm, 4 are 11 m, 2 are 1 km"
            ),
            FieldSpec(
                "null_island",
                .choice(["ignore", "accept"]),
                default: "ignore",
                "Exactly 0,0 in a file: a receiver without a fix, or a place; the client's own 0,0 is a place"
            ),
            FieldSpec(
                "missing_ref",
                .choice(["ignore", "accept"]),
                default: "ignore",
                "Coordinates in a file without N, S, E, W: no place, or one in the north and east"
            ),
        ]
    )

    /// Reads the section; findings are added.
    init(_ node: Node?, references: References, diagnostics: inout [Diagnostic]) {
        let values = Self.section.decode(node, references: references, diagnostics: &diagnostics)
        self.init(
            isForwarded: values.boolean("forward"),
            precision: values.integer("precision"),
            position: PositionPolicy(
                acceptsNullIsland: values.text("null_island") == "accept",
                acceptsMissingRef: values.text("missing_ref") == "accept"
            )
        )
    }

    /// The place as services are told it; `nil` where they are not.
    public func told(_ geotag: Geotag?) -> Geotag? {
        isForwarded ? geotag?.rounded(precision: precision) : nil
    }

    /// What the report says where there is a place and services are not told it.
    public func warnings(_ geotag: Geotag?) -> [Warning] {
        guard geotag != nil, !isForwarded else { return [] }
        return [
            Warning(
                code: "geotag_not_forwarded",
                message: "Services are not told the place, because geotag.forward is false."
            )
        ]
    }
}
