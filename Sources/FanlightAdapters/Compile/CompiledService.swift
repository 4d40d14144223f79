// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
public import FanlightCore

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
    @Boxed public var constraints: ConstraintOverrides
    /// Longest texts, by variable name.
    public var textLimits: [String: TextLimit]
    /// Most frames of a picture; `nil` = no bound.
    public var maxFrames: Int?
    /// Time limits of one attempt.
    @Boxed public var timeouts: Timeouts
    /// Time for all attempts.
    public var deadline: Duration
    /// Most attempts.
    public var attempts: Int
    /// Deliveries at the same time; `nil` = the gateway's default.
    public var concurrency: Int?
    /// Deliveries in a period.
    public var rate: Rate?
    /// How its deliveries are treated beside those of other services.
    @Boxed public var delivery = DeliveryWishes()
    /// Options that a request may give.
    public var options: [OptionSpec] {
        didSet { readsPicture = wantsPicture }
    }
    /// Values that nobody may see.
    public var secrets: [String] {
        didSet {
            linkRedaction = Redaction(secrets: secrets)
            redaction = messageRedaction
        }
    }
    /// Where a secret setting has its value in a file of the configuration itself; `nil` = each is a reference.
    public var writtenSecret: SourcePosition?
    /// Values that messages may not hold and links may, such as the address that an upload goes to.
    var messageSecrets: [String] = [] {
        didSet { redaction = messageRedaction }
    }
    /// The same, for those that are looked for only where they stand alone.
    var messageWords: [String] = [] {
        didSet { redaction = messageRedaction }
    }
    /// True when pictures are kept in a folder of the gateway.
    public var isLocal: Bool { store != nil }
    /// The folder of a local service.
    public var localFolder: String?
    /// True when every request may be repeated although its outcome is not known; each exchange says it for itself.
    public var isIdempotent: Bool { steps.allSatisfy(\.isIdempotent) }
    /// Identifiers of the requests of a delivery, in order; `upload` where the adapter has no steps.
    public var stepNames: [String] { steps.map(\.id) }
    /// True when building a request reads the picture's bytes, for a hash or base64.
    public private(set) var readsPicture = false
    /// True when a delivered picture can be deleted.
    public var canDelete: Bool { delete != nil }

    /// For messages.
    var redaction = Redaction(secrets: [])
    /// For links.
    var linkRedaction = Redaction(secrets: [])
    var settings: [String: JSONValue]
    var steps: [StepProgram] = [] {
        didSet { readsPicture = wantsPicture }
    }
    var store: StoreProgram?
    @Boxed var result = ResultProgram()
    @Boxed var session: SessionProgram? = nil
    @Boxed var delete: StepProgram? = nil
    @Boxed var discovery: DiscoveryProgram? = nil

    private var messageRedaction: Redaction { linkRedaction.adding(secrets: messageSecrets, words: messageWords) }

    private var wantsPicture: Bool {
        let digests: Set<Variable> = [.file(.sha256), .file(.sha1), .file(.md5), .file(.base64)]
        let templates = options.compactMap(\.template).flatMap(\.variables)
        return (steps.flatMap(\.request.variables) + templates).contains { digests.contains($0) }
    }

    /// Keeps further values from everything that people see; words and numbers that links hold by chance from messages
    /// only.
    public mutating func hide(_ values: [String]) {
        messageWords += values.filter(CredentialNames.isCommon)
        secrets += values.filter { !CredentialNames.isCommon($0) }
    }

    /// What templates read during a delivery.
    func scope(_ context: DeliveryContext) -> Scope {
        Scope(
            service: name,
            settings: settings,
            options: options,
            textLimits: textLimits,
            context: context,
            start: context.now
        )
    }
}

/// Limits of a service that are not about the picture's bytes.
struct ServiceLimits: Sendable {
    var text: [String: TextLimit] = [:]
    var frames: Int?
    var rate: Rate?
    var concurrency: Int?
}
