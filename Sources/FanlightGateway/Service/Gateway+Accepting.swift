// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightMetadata

/// Who sent a request.
struct Client: Sendable {
    /// A digest of the client's key; empty where the gateway has no keys.
    var name = ""
    /// Address of the peer.
    var peer = ""
    /// The key that it showed; `nil` where the gateway has no keys.
    var key: ClientKey?
    /// Place of its request in the counts; `nil` for requests that upload nothing.
    var admission: Admission?

    /// Whose turn its deliveries take in the queues.
    var group: String { name.isEmpty ? peer : name }
}

extension Gateway {
    /// One request, as it came.
    private struct Request: Sendable {
        var form: UploadForm
        var choices: UploadChoices
        var head: RequestHead
        var client: Client
        var timing: UploadTiming
    }

    /// What one request wants, checked.
    private struct Order: Sendable {
        var choices: UploadChoices
        var services: [(service: CompiledService, role: DeliveryRole)]
        var policy: RoutePolicy
        var client: Client
        var origin: RequestOrigin
        var timing: UploadTiming
    }

    /// A picture with what its bytes say.
    private struct Picture: Sendable {
        var file: SpooledFile
        var facts: ImageFacts
        var sha256: String?
    }

    /// Answers one complete form.
    func answer(
        _ form: UploadForm,
        head: RequestHead,
        client: Client,
        timing: UploadTiming = UploadTiming()
    ) async throws(Problem) -> HTTPAnswer {
        let preference = try Preference(head)
        let key = try IdempotencyDesk.key(head)
        let fields = form.fields + head.query.filter { $0.name != "format" }
        let choices = try UploadChoices(fields)
        let request = Request(form: form, choices: choices, head: head, client: client, timing: timing)
        let begin = engine.clock.now()
        guard let key else { return await report(try await take(request, key: nil, since: begin), preference) }
        // What was done for a key is reported before anything is checked: the client's rights, the services and the
        // limits may be others by now.
        let digest = IdempotencyDesk.digest(pictures: try await hashes(of: form.pictures), fields: fields)
        return try await answerOnce(key, digest, client, preference) { [self] (entry) throws(Problem) in
            try await take(request, key: entry, since: begin)
        }
    }

    /// Checks a request that is new, and takes its pictures.
    private func take(
        _ request: Request,
        key: IdempotencyDesk.Entry?,
        since begin: Timestamp
    ) async throws(Problem) -> [LiveUpload] {
        let order = try await order(request)
        let isCompared = key != nil || order.services.contains { $0.service.delivery.reusesDuplicates }
        var pictures: [Picture] = []
        for file in request.form.pictures {
            pictures.append(try await read(file, hashes: isCompared || settings.givesHash, order.origin))
        }
        return try await accept(pictures, order, key: key, since: begin)
    }

    /// What a request wants, where it may have it.
    private func order(_ request: Request) async throws(Problem) -> Order {
        let choices = request.choices
        let (named, policy) = try router.resolve(choices.services, allowed: request.client.key?.services)
        let told = await engine.limits.informed(named.map(\.service))
        try check(choices.options)
        return Order(
            choices: choices,
            services: zip(told, named).map { (service: $0, role: $1.role) },
            policy: policy,
            client: request.client,
            origin: RequestOrigin(request.head, settings.trace, engine.identity),
            timing: request.timing
        )
    }

    private func hashes(of files: [SpooledFile]) async throws(Problem) -> [String] {
        var hashes: [String] = []
        for file in files {
            guard let hash = await hash(of: file) else { throw .spoolFull }
            hashes.append(hash)
        }
        return hashes
    }

    /// Waits for uploads as the client wishes, and reports them.
    func report(_ uploads: [LiveUpload], _ preference: Preference, replayed: Bool = false) async -> HTTPAnswer {
        let end = engine.clock.now() + (preference.wait ?? settings.answerWithin)
        for upload in uploads { await upload.wait(atMost: end - engine.clock.now(), clock: engine.clock) }
        return Answer.of(uploads.map(\.report), preference, replayed: replayed)
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

    private func read(_ file: SpooledFile, hashes: Bool, _ origin: RequestOrigin) async throws(Problem) -> Picture {
        let limits = settings.imageLimits
        let position = settings.geotag.position
        let result = await engine.pool.run(BlockingPool.Weight(bytes: file.size)) { () -> Result<Picture, Problem> in
            guard let bytes = PictureBytes(mapping: file.descriptor, size: file.size) else {
                return .failure(.spoolFull)
            }
            do throws(ImageError) {
                // First what may refuse the file: a digest reads all of it.
                let facts = try ImageReader.read(bytes, limits: limits, position: position)
                let digest = hashes ? ContentHash.sha256(of: file) : nil
                guard !hashes || digest != nil else { return .failure(.spoolFull) }
                return .success(Picture(file: file, facts: facts, sha256: digest))
            } catch {
                return .failure(Problem(error))
            }
        }
        if case .failure(let problem) = result, problem.code != Problem.spoolFull.code {
            let name = origin.requestID
            engine.log.refused(
                problem,
                mediaType: nil,
                bytes: file.size,
                requestID: name,
                at: engine.identity.timestamp()
            )
        }
        return try result.get()
    }

    /// Prepares the pictures, puts the uploads into the journal, and starts their deliveries.
    private func accept(
        _ pictures: [Picture],
        _ order: Order,
        key: IdempotencyDesk.Entry?,
        since begin: Timestamp
    ) async throws(Problem) -> [LiveUpload] {
        var records: [JournalUpload] = []
        var files: [SpooledFile] = []
        var opened: [(JournalRendition, SpooledFile)] = []
        for picture in pictures {
            let (record, own) = try await record(of: picture, order)
            records.append(record)
            // Pictures that are parts of one file are one file for the journal.
            for file in own where !files.contains(where: { $0.name == file.name }) { files.append(file) }
            opened += zip(record.renditions, own)
        }
        engine.events.tell(.prepareTime(engine.clock.now() - begin))
        let uploads = try enter(records, order)
        do throws(JournalError) {
            try await engine.journal.accept(
                records,
                key: key?.journal(uploads: records.map(\.id), at: engine.now),
                files: files
            )
        } catch {
            for upload in uploads { runner.leave(upload) }
            engine.events.tell(.journalFailed(error))
            throw Problem(error)
        }
        order.timing.notePrepared()
        for (rendition, file) in opened { engine.shelf.put(file, of: rendition) }
        for (upload, record) in zip(uploads, records) {
            engine.events.tell(.accepted(bytes: record.imageBytes, deliveries: record.deliveries.count))
            upkeep.noteTaken(record.deliveries.count)
            // A gateway that stops just now has the upload in its journal and continues it at the next start.
            runner.start(upload, record.deliveries.indices.filter { record.deliveries[$0].status == .pending })
        }
        return uploads
    }

    /// Takes new uploads up before the journal shows them to anybody, so that nobody else begins them, too.
    private func enter(_ records: [JournalUpload], _ order: Order) throws(Problem) -> [LiveUpload] {
        if registry.isStopping { throw .stopping }
        try order.client.admission?.take(records.count)
        var entered: [LiveUpload] = []
        for record in records {
            let upload = LiveUpload(
                record,
                group: order.client.group,
                moment: registry.moment,
                origin: order.origin
            )
            guard case .entered(let live) = registry.enter(upload) else {
                for upload in entered { runner.leave(upload) }
                throw .stopping
            }
            entered.append(live)
        }
        order.client.admission?.handOver()
        return entered
    }

    // MARK: The record of an upload

    private func record(of picture: Picture, _ order: Order) async throws(Problem) -> (JournalUpload, [SpooledFile]) {
        let prepared = try await renditions(of: picture, for: order)
        var files: [SpooledFile] = []
        var renditions: [JournalRendition] = []
        var places: [RenditionConstraints: Int] = [:]
        let wantsHash = order.services.contains { $0.service.delivery.reusesDuplicates }
        for (constraints, result) in prepared {
            guard case .success(let rendition) = result else { continue }
            if let place = files.firstIndex(where: { $0 === rendition.file }) {
                places[constraints] = place
                continue
            }
            places[constraints] = files.count
            files.append(rendition.file)
            renditions.append(await entry(rendition, of: picture, wantsHash: wantsHash))
            engine.events.tell(.prepared(lane: rendition.lane, bytes: rendition.file.size))
        }
        let geotag = order.choices.geotag ?? picture.facts.geotag
        var record = JournalUpload(
            id: engine.identity.uploadID(),
            createdAt: engine.now,
            client: order.client.name,
            image: picture.facts,
            imageBytes: picture.file.size,
            sha256: picture.sha256,
            caption: order.choices.caption,
            geotag: geotag,
            warnings: picture.facts.warnings + settings.geotag.warnings(geotag) + Self.losses(prepared),
            choices: order.policy.choices,
            renditions: renditions,
            notification: settings.notify.map { _ in JournalNotification() }
        )
        for (service, role) in order.services {
            let constraints = service.constraints.applied(to: settings.constraints)
            var delivery = JournalDelivery(
                service: service.name,
                role: role,
                rendition: places[constraints],
                options: order.choices.options[service.name] ?? [:]
            )
            delivery.captionDigest = service.delivery.reusesDuplicates ? captionDigest(record, delivery, service) : nil
            if case .failure(let error)? = prepared.first(where: { $0.0 == constraints })?.1 {
                delivery.apply(.settled(noRendition(error, number: record.deliveries.settledCount + 1)))
            }
            record.deliveries.append(delivery)
        }
        // Where nothing is to be sent, no outcome will come that tells the webhook.
        if record.isComplete { record.notification?.dueAt = engine.now }
        return (record, files)
    }

    private func entry(_ rendition: Rendition, of picture: Picture, wantsHash: Bool) async -> JournalRendition {
        let file = rendition.file
        var sha256: String?
        if wantsHash {
            sha256 = file === picture.file ? picture.sha256 : await hash(of: file)
        }
        return JournalRendition(rendition, sha256: sha256)
    }

    private func hash(of file: SpooledFile) async -> String? {
        await engine.pool.run(BlockingPool.Weight(bytes: file.size)) { ContentHash.sha256(of: file) }
    }

    private func noRendition(_ error: ImageError, number: Int) -> JournalOutcome {
        JournalOutcome(
            status: .failed,
            failure: DeliveryFailure(kind: .noRendition, message: Problem(error).detail),
            attempts: 0,
            durationMilliseconds: 0,
            at: engine.now,
            eventNumber: number
        )
    }

    /// Digest of all that a service may get besides the picture.
    private func captionDigest(
        _ record: JournalUpload,
        _ delivery: JournalDelivery,
        _ service: CompiledService
    ) -> String {
        let caption = record.caption
        var words = [caption.title, caption.description, caption.message, caption.alt].map {
            $0.map { "+" + $0 } ?? "-"
        }
        words += [String(caption.tags.count)] + caption.tags
        for field in caption.fields { words += [field.name, field.value] }
        let place = record.geotag.map { ["\($0.latitude)", "\($0.longitude)", $0.altitude.map { "\($0)" } ?? "-"] }
        words += place ?? ["nowhere"]
        words.append(record.image.takenAt ?? "-")
        for (name, value) in delivery.options.sorted(by: { $0.key < $1.key }) { words += [name, value] }
        // What another host holds under the same name in config.yaml is not the same.
        words += service.destination
        return ContentHash.sha256(of: LengthPrefixed.bytes(words))
    }

    /// One rendition for each distinct set of constraints; a picture that cannot be decoded refuses the upload.
    private func renditions(
        of picture: Picture,
        for order: Order
    ) async throws(Problem) -> [(RenditionConstraints, Result<Rendition, ImageError>)] {
        var seen: Set<RenditionConstraints> = []
        let sets = order.services.map { $0.service.constraints.applied(to: settings.constraints) }.filter {
            seen.insert($0).inserted
        }
        let begin = ContinuousClock.now
        let results = await images.prepare(picture.file, facts: picture.facts, constraints: sets)
        let lanes = results.compactMap { result in if case .success(let made) = result { made.lane } else { nil } }
        if let costliest = lanes.max() {
            engine.events.tell(.preparedPicture(lane: costliest, duration: .now - begin))
        }
        for case .failure(let error) in results {
            if case .noRendition = error { continue }
            let problem = Problem(error)
            engine.log.refused(
                problem,
                mediaType: picture.facts.mediaType,
                bytes: picture.file.size,
                requestID: order.origin.requestID,
                at: engine.identity.timestamp()
            )
            throw problem
        }
        return Array(zip(sets, results))
    }

    /// Warnings of all renditions, each once.
    private static func losses(_ renditions: [(RenditionConstraints, Result<Rendition, ImageError>)]) -> [Warning] {
        var warnings: [Warning] = []
        for case .success(let rendition) in renditions.map(\.1) {
            for warning in rendition.warnings where !warnings.contains(warning) { warnings.append(warning) }
        }
        return warnings.sorted { ($0.code, $0.message) < ($1.code, $1.message) }
    }
}

extension [JournalDelivery] {
    fileprivate var settledCount: Int { count { $0.eventNumber != nil } }
}

/// Texts one after another, so that no two lists of texts give the same bytes.
enum LengthPrefixed {
    static func bytes(_ texts: [String]) -> [UInt8] {
        texts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
    }
}
