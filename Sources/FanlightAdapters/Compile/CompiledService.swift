// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
public import FanlightCore

/// Picture bounds and wishes of one service, to be laid over those of the gateway.
public struct ConstraintOverrides: Sendable, Equatable {
    /// Bytes of the file.
    public var maxBytes: Int?
    /// Longer side in pixels.
    public var maxEdge: Int?
    /// Width times height.
    public var maxPixels: Int?
    /// Frames of an animation.
    public var maxFrames: Int?
    /// Formats that the service takes, best first.
    public var formats: [MediaType]?
    /// The one format to make.
    public var format: MediaType?
    /// Metadata that may stay.
    public var metadata: MetadataPolicy?
    /// Quality of re-encoded pictures, 1...100.
    public var quality: Int?
    /// How a sideways JPEG becomes upright.
    public var rotation: RotationPolicy?
    /// What happens to colours that are not sRGB.
    public var colour: ColourPolicy?
    /// What shows through transparency where the format has none.
    public var background: GroundColour?

    /// Creates overrides; `nil` leaves the gateway's value.
    public init(
        maxBytes: Int? = nil,
        maxEdge: Int? = nil,
        maxPixels: Int? = nil,
        formats: [MediaType]? = nil,
        metadata: MetadataPolicy? = nil,
        quality: Int? = nil
    ) {
        self.maxBytes = maxBytes
        self.maxEdge = maxEdge
        self.maxPixels = maxPixels
        self.formats = formats
        self.metadata = metadata
        self.quality = quality
    }

    /// The gateway's constraints with the tighter bound of both and with the service's wishes.
    public func applied(to base: RenditionConstraints) -> RenditionConstraints {
        func tighter(_ first: Int?, _ second: Int?) -> Int? {
            [first, second].compactMap { $0 }.filter { $0 > 0 }.min()
        }
        let accepted = formats ?? base.formats
        // The gateway's own wish gives way to what the service takes.
        let general = base.format.flatMap { accepted?.contains($0) ?? true ? $0 : nil }
        return RenditionConstraints(
            maxEdge: tighter(base.maxEdge, maxEdge) ?? 0,
            maxPixels: tighter(base.maxPixels, maxPixels),
            maxBytes: tighter(base.maxBytes, maxBytes),
            maxFrames: tighter(base.maxFrames, maxFrames),
            formats: accepted,
            format: format ?? general,
            metadata: metadata ?? base.metadata,
            quality: quality ?? base.quality,
            rotation: rotation ?? base.rotation,
            colour: colour ?? base.colour,
            background: background ?? base.background
        )
    }
}

/// Limits of a service that are not about the picture's bytes.
struct ServiceLimits: Sendable {
    var text: [String: Int] = [:]
    var frames: Int?
    var rate: Rate?
    var concurrency: Int?
}

/// How a service explains a failure.
struct ErrorRules: Sendable {
    var message: Sources?
    var code: Sources?
    var kinds: [String: ErrorKind] = [:]
    var patterns: [(Pattern, ErrorKind)] = []
}

/// Where a reply says how long to wait.
struct WaitRule: Sendable {
    var from: Sources
    var unit: Duration
}

/// How replies are read.
struct ReplyProgram: Sendable {
    var save: [(name: String, value: Sources)] = []
    var ok: Predicate?
    var error = ErrorRules()
    var link: Sources?
    var page: Sources?
    var thumbnail: Sources?
    var id: Sources?
    var extras: [(name: String, value: Sources)] = []
    var waits: [WaitRule] = []
}

/// One service of config.yaml, ready to build requests and to read replies.
public struct CompiledService: Sendable {
    /// Name in config.yaml.
    public var name: String
    /// Catalogue entry that it is based on.
    public var adapterName: String
    /// False when switched off, or when a variable is unset and `enabled: auto` is given.
    public var enabled: Bool
    /// Why it is off.
    public var disabledReason: String?
    /// Picture bounds and wishes.
    public var constraints: ConstraintOverrides
    /// Most characters of a text, by variable name.
    public var textLimits: [String: Int]
    /// Most frames of a picture; `nil` = no bound.
    public var maxFrames: Int?
    /// Time limits of one attempt.
    public var timeouts: Timeouts
    /// Time for all attempts.
    public var deadline: Duration
    /// Most attempts.
    public var attempts: Int
    /// Deliveries at the same time; `nil` = the gateway's default.
    public var concurrency: Int?
    /// Deliveries in a period.
    public var rate: Rate?
    /// Options that a request may give.
    public var options: [OptionSpec]
    /// Values that nobody may see.
    public var secrets: [String]
    /// True when a repeated request does no harm: declared, or an idempotency key is sent.
    public var isIdempotent: Bool
    /// How its deliveries are treated beside those of other services.
    public var delivery = DeliveryWishes()
    /// True when pictures are kept in a folder of the gateway.
    public var isLocal: Bool { store != nil }
    /// The folder of a local service.
    public var localFolder: String?

    var settings: [String: JSONValue]
    var request: RequestProgram?
    var store: (folder: Template, name: Template)?
    var reply: ReplyProgram
    var delete: (request: RequestProgram, ok: Predicate?)?

    /// What templates read during a delivery.
    func scope(_ context: DeliveryContext) -> Scope {
        Scope(service: name, settings: settings, options: options, textLimits: textLimits, context: context)
    }
}
