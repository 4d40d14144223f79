// SPDX-License-Identifier: Apache-2.0

public import FanlightAdapters
public import FanlightConfiguration
public import FanlightCore
import FanlightMetadata
import Synchronization

/// What the gateway needs to know besides its services.
public struct GatewaySettings: Sendable {
    /// Bytes of one request body.
    public var maxBody = 33_554_432
    /// Longest wait of a client for its report.
    public var answerWithin: Duration = .seconds(60)
    /// What every rendition keeps, before a service's own limits.
    public var constraints = RenditionConstraints()
    /// What any picture keeps.
    public var imageLimits = ImageLimits()
    /// What is taken as a picture's place, and what services are told of it.
    public var geotag = GeotagConfiguration()
    /// Named routes; `default` is used where the client names none.
    public var routes: [Route] = []
    /// Base of links to the album, without a slash at the end.
    public var publicURL = "http://127.0.0.1:8080"
    /// Keys of clients; empty = everybody may upload.
    public var clientKeys: [Secret] = []
    /// Reports kept in memory.
    public var keptReports = 1_000

    /// Creates the default settings.
    public init() {}

    var intake: IntakeLimits { IntakeLimits(maxBody: maxBody) }
}

/// The life of an upload: read, prepare, deliver, report.
public final class Gateway: Sendable {
    let settings: GatewaySettings
    let spool: any Spool
    let store: UploadStore
    let router: Router
    private let images: any ImageProcessor
    private let courier: Courier
    private let pool: BlockingPool
    private let identity: Identity
    private let log: EventLog
    private let underWay = Mutex<[ObjectIdentifier: LiveUpload]>([:])

    /// Joins the gateway with its ports.
    public init(
        settings: GatewaySettings,
        services: [CompiledService],
        spool: any Spool,
        images: any ImageProcessor,
        transport: any HTTPTransport,
        pool: BlockingPool,
        identity: Identity = .system,
        log: EventLog = .silent
    ) {
        self.settings = settings
        self.spool = spool
        self.images = images
        self.pool = pool
        self.identity = identity
        self.log = log
        store = UploadStore(capacity: settings.keptReports)
        router = Router(services: services, routes: settings.routes)
        courier = Courier(transport: transport, pool: pool) { Int(identity.now() / 1_000) }
    }

    /// Uploads whose deliveries are not all settled.
    public var uploadsUnderWay: Int { underWay.withLock { $0.count } }

    /// Ends the wait for all deliveries: those without an outcome become unknown, and clients get their reports.
    public func interrupt() {
        let left = underWay.withLock { uploads in
            defer { uploads = [:] }
            return Array(uploads.values)
        }
        for upload in left {
            upload.interrupt()
            log.finished(upload.report, at: identity.timestamp())
        }
    }

    /// Answers one complete form.
    func answer(_ form: UploadForm, head: RequestHead) async throws(Problem) -> HTTPAnswer {
        let preference = try Preference(head)
        let choices = try UploadChoices(form.fields + head.query.filter { $0.name != "format" })
        let (services, policy) = try router.resolve(choices.services)
        try check(choices.options)
        var pictures: [Picture] = []
        for file in form.pictures { pictures.append(try await read(file)) }
        var prepared: [[RenditionConstraints: Result<Rendition, ImageError>]] = []
        for picture in pictures { prepared.append(try await renditions(of: picture, for: services)) }
        var uploads: [LiveUpload] = []
        for (picture, renditions) in zip(pictures, prepared) {
            uploads.append(start(picture, renditions, choices, services, policy))
        }
        await wait(for: uploads, atMost: preference.wait ?? settings.answerWithin)
        return Answer.of(uploads.map(\.report), format: preference.format)
    }

    private func check(_ options: [String: [String: String]]) throws(Problem) {
        for (service, values) in options {
            guard let known = router.services.first(where: { $0.name == service }) else {
                throw Problem(
                    .unknownService,
                    "There is no service \"\(service.prefix(100))\".",
                    field: "option.\(service)"
                )
            }
            for name in values.keys where !known.options.contains(where: { $0.name == name }) {
                throw Problem(
                    .badField,
                    "\(service) has no option \"\(name.prefix(100))\".",
                    field: "option.\(service).\(name)"
                )
            }
        }
    }

    /// A picture with what its bytes say.
    private struct Picture: Sendable {
        var file: SpooledFile
        var facts: ImageFacts
        var sha256: String
    }

    private func read(_ file: SpooledFile) async throws(Problem) -> Picture {
        let limits = settings.imageLimits
        let position = settings.geotag.position
        let result = await pool.run { () -> Result<Picture, Problem> in
            guard let bytes = PictureBytes(mapping: file.descriptor, size: file.size),
                let digest = ContentHash.sha256(of: file)
            else {
                return .failure(.spoolFull)
            }
            do throws(ImageError) {
                let facts = try ImageReader.read(bytes, limits: limits, position: position)
                return .success(Picture(file: file, facts: facts, sha256: digest))
            } catch {
                return .failure(Problem(error))
            }
        }
        return try result.get()
    }

    /// One rendition for each distinct set of constraints; a picture that cannot be decoded refuses the upload.
    private func renditions(
        of picture: Picture,
        for services: [CompiledService]
    ) async throws(Problem) -> [RenditionConstraints: Result<Rendition, ImageError>] {
        var seen: Set<RenditionConstraints> = []
        let sets = services.map { $0.constraints.applied(to: settings.constraints) }.filter { seen.insert($0).inserted }
        let results = await images.prepare(picture.file, facts: picture.facts, constraints: sets)
        var made: [RenditionConstraints: Result<Rendition, ImageError>] = [:]
        for (constraints, result) in zip(sets, results) {
            if case .failure(let error) = result {
                guard case .noRendition = error else { throw Problem(error) }
            }
            made[constraints] = result
        }
        return made
    }

    /// Warnings of all renditions, each once.
    private static func losses(_ renditions: [RenditionConstraints: Result<Rendition, ImageError>]) -> [Warning] {
        var warnings: [Warning] = []
        for case .success(let rendition) in renditions.values {
            for warning in rendition.warnings where !warnings.contains(warning) { warnings.append(warning) }
        }
        return warnings.sorted { ($0.code, $0.message) < ($1.code, $1.message) }
    }

    private func start(
        _ picture: Picture,
        _ renditions: [RenditionConstraints: Result<Rendition, ImageError>],
        _ choices: UploadChoices,
        _ services: [CompiledService],
        _ policy: RoutePolicy
    ) -> LiveUpload {
        let geotag = choices.geotag ?? picture.facts.geotag
        let report = Report(
            id: identity.uploadID(),
            deliveries: services.map { Report.Entry(service: $0.name) },
            image: picture.facts,
            imageBytes: picture.file.size,
            sha256: picture.sha256,
            geotag: geotag,
            warnings: picture.facts.warnings + settings.geotag.warnings(geotag) + Self.losses(renditions),
            createdAt: identity.timestamp()
        )
        let live = LiveUpload(report: report, policy: policy, store: store)
        let jobs = services.enumerated().map { index, service in
            let rendition =
                renditions[service.constraints.applied(to: settings.constraints)] ?? .failure(.noRendition("none made"))
            return Job(index: index, service: service, rendition: rendition)
        }
        underWay.withLock { $0[ObjectIdentifier(live)] = live }
        // Deliveries belong to the gateway, not to the request: they go on when the client leaves.
        Task {
            await run(jobs, live, choices, picture.facts)
            let isOurs = underWay.withLock { $0.removeValue(forKey: ObjectIdentifier(live)) } != nil
            if isOurs { log.finished(live.report, at: identity.timestamp()) }
        }
        return live
    }

    private struct Job: Sendable {
        var index: Int
        var service: CompiledService
        var rendition: Result<Rendition, ImageError>
    }

    private func run(_ jobs: [Job], _ live: LiveUpload, _ choices: UploadChoices, _ facts: ImageFacts) async {
        if live.isFirstPolicy {
            var isDelivered = false
            for job in jobs {
                guard !isDelivered else {
                    var skipped = Report.Entry(service: job.service.name)
                    skipped.status = .skipped
                    live.settle(job.index, skipped)
                    continue
                }
                let entry = await deliver(job, live, choices, facts)
                isDelivered = entry.status == .delivered
                live.settle(job.index, entry)
            }
            return
        }
        await withTaskGroup(of: Void.self) { group in
            for job in jobs {
                group.addTask { live.settle(job.index, await self.deliver(job, live, choices, facts)) }
            }
        }
    }

    private func deliver(_ job: Job, _ live: LiveUpload, _ choices: UploadChoices, _ facts: ImageFacts) async
        -> Report.Entry
    {
        switch job.rendition {
        case .success(let rendition):
            let report = live.report
            let context = DeliveryContext(
                caption: choices.caption,
                geotag: settings.geotag.told(report.geotag),
                takenAt: facts.takenAt,
                rendition: rendition,
                options: choices.options[job.service.name] ?? [:],
                uploadID: report.id,
                idempotencyKey: report.id + "." + job.service.name,
                uuid: identity.uploadID(),
                now: Int(identity.now() / 1_000),
                publicURL: settings.publicURL
            )
            return await courier.deliver(job.service, context, rendition)
        case .failure(let error):
            var entry = Report.Entry(service: job.service.name)
            entry.status = .failed
            entry.failure = DeliveryFailure(kind: .noRendition, message: Problem(error).detail)
            return entry
        }
    }

    private func wait(for uploads: [LiveUpload], atMost limit: Duration) async {
        let alarm = Task {
            if limit > .zero { try? await Task.sleep(for: limit) }
            guard !Task.isCancelled else { return }
            for upload in uploads { upload.giveUpWaiting() }
        }
        for upload in uploads { await upload.answered() }
        alarm.cancel()
    }
}

extension LiveUpload {
    fileprivate var isFirstPolicy: Bool { policy == .first }
}
