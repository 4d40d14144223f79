// SPDX-License-Identifier: Apache-2.0

/// What a client says about a picture: title, description, message, alternative text, tags and unknown fields.
public struct Caption: Sendable, Equatable {
    /// Short headline.
    public var title: String?
    /// Longer text.
    public var description: String?
    /// Text of a post.
    public var message: String?
    /// Alternative text for people who cannot see the picture.
    public var alt: String?
    /// Tags in the client's order, trimmed, none empty.
    public var tags: [String]
    /// Unknown fields, in the client's order; templates read them as `field.<name>`.
    public var fields: [(name: String, value: String)]

    /// Creates a caption.
    public init(
        title: String? = nil,
        description: String? = nil,
        message: String? = nil,
        alt: String? = nil,
        tags: [String] = [],
        fields: [(name: String, value: String)] = []
    ) {
        self.title = title
        self.description = description
        self.message = message
        self.alt = alt
        self.tags = tags
        self.fields = fields
    }

    /// Compares every value, unknown fields with their order.
    public static func == (a: Caption, b: Caption) -> Bool {
        a.title == b.title && a.description == b.description && a.message == b.message && a.alt == b.alt
            && a.tags == b.tags && a.fields.elementsEqual(b.fields) { $0.name == $1.name && $0.value == $1.value }
    }
}
