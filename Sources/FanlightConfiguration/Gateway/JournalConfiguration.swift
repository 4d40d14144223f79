// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// The `journal` section: how the record of uploads is kept.
public struct JournalConfiguration: Sendable, Equatable {
    /// True when an acknowledged upload survives a power cut, not only a kill.
    public var isFullyDurable: Bool
    /// Finished uploads stay so long in the history.
    public var keepFor: Duration
    /// Bytes of the history.
    public var keepSize: Int
    /// Pictures of failed deliveries stay so long for a retry.
    public var picturesFor: Duration
    /// Bytes of those pictures.
    public var picturesSize: Int
    /// Any text, of which the key is made that seals secrets; `nil` = a key in the state folder.
    public var stateKey: Secret?

    /// Creates a configuration with the defaults of ``section``.
    public init(
        isFullyDurable: Bool = true,
        keepFor: Duration = .seconds(30 * 86_400),
        keepSize: Int = 500_000_000,
        picturesFor: Duration = .seconds(86_400),
        picturesSize: Int = 1_000_000_000,
        stateKey: Secret? = nil
    ) {
        self.isFullyDurable = isFullyDurable
        self.keepFor = keepFor
        self.keepSize = keepSize
        self.picturesFor = picturesFor
        self.picturesSize = picturesSize
        self.stateKey = stateKey
    }

    /// Keys under `journal`.
    static let section = Section(
        "journal",
        [
            FieldSpec(
                "durability",
                .choice(["full", "relaxed"]),
                default: "full",
                "What an upload that was taken survives: a power cut (full), or only a kill of the gateway (relaxed)"
            ),
            FieldSpec("keep_for", .duration, default: "30d", "How long finished uploads stay in the history"),
            FieldSpec("keep_size", .byteSize, default: "500MB", "Size of the history; beyond it the oldest go"),
            FieldSpec(
                "pictures_for",
                .duration,
                default: "24h",
                "How long the pictures of failed deliveries stay for a retry"
            ),
            FieldSpec(
                "pictures_size",
                .byteSize,
                default: "1GB",
                "Size of those pictures together; beyond it the oldest go"
            ),
        ]
    )

    /// Reads the section.
    init(
        _ node: Node?,
        stateKey: String?,
        references: References,
        diagnostics: inout [Diagnostic]
    ) {
        let values = Self.section.decode(node, references: references, diagnostics: &diagnostics)
        self.init(
            isFullyDurable: values.text("durability") != "relaxed",
            keepFor: values.duration("keep_for"),
            keepSize: values.integer("keep_size"),
            picturesFor: values.duration("pictures_for"),
            picturesSize: values.integer("pictures_size"),
            stateKey: stateKey.map { Secret($0) }
        )
    }
}
