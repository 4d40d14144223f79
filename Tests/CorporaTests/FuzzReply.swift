// SPDX-License-Identifier: Apache-2.0

import FanlightCore

@testable import FanlightAdapters

/// Replies of a service that wants to do harm.
///
/// The first byte of an input chooses the service, by its place among ``FuzzServices/names`` from the letter `a` on.
/// Replies follow, each after a byte 0xFF: a line with the status, header lines, an empty line, the body. A status that
/// is none stands for a lost connection, and so does the end of the input.
struct FuzzReply {
    private let service: CompiledService
    private let context: DeliveryContext
    private var replies: [ArraySlice<UInt8>]
    private var now: Int
    private var broken: String?

    static func run(_ bytes: [UInt8]) -> String? {
        let services = FuzzServices.all
        guard services.count == FuzzServices.names.count else { return "a service does not compile" }
        let pieces = FuzzPieces.split(bytes)
        let letter = Int(pieces[0].first ?? 97)
        var player = FuzzReply(services[(letter + 159) % 256 % services.count], Array(pieces.dropFirst()))
        return player.play()
    }

    private init(_ entry: FuzzServices.Entry, _ replies: [ArraySlice<UInt8>]) {
        service = entry.service
        context = entry.context
        now = entry.context.now
        self.replies = replies
    }

    // MARK: Playing

    private mutating func play() -> String? {
        var run = DeliveryRun(service: service, context: context)
        guard let result = play(&run) else { return broken ?? "the delivery does not end" }
        switch result {
        case .failure(let failure): note(FuzzPromises.broken(failure, service))
        case .success(let links):
            note(FuzzPromises.broken(links, service))
            delete(links)
        }
        return broken
    }

    /// Plays a run to its end; `nil` when there is none.
    private mutating func play(_ run: inout DeliveryRun) -> Result<DeliveryLinks, DeliveryFailure>? {
        var event = DeliveryRun.Event.start
        for _ in 0..<200 {
            let action = run.handle(event, now: now)
            note(resumed(run))
            switch action {
            case .finished(let result): return result
            case .store: event = .stored
            case .pause(let wait):
                pause(wait)
                event = .paused
            case .send(let request, _):
                switch answer(request) {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            case .openSession(let need):
                switch session(need) {
                case .success(let values)?: event = .session(values)
                case .failure(let failure)?: event = .sessionFailed(failure)
                case nil: return nil
                }
            }
        }
        return nil
    }

    private mutating func session(_ need: SessionNeed) -> Result<SessionValues, DeliveryFailure>? {
        guard var run = SessionRun(service: service, after: nil, uuid: context.uuid, now: now) else { return nil }
        var event = SessionRun.Event.start
        for _ in 0..<50 {
            switch run.handle(event, now: now) {
            case .finished(let result):
                if case .success(let values) = result, let end = values.expiresAt, end <= now { note("no lifetime") }
                return result
            case .send(let request, _):
                switch answer(request) {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            }
        }
        return nil
    }

    private mutating func delete(_ links: DeliveryLinks) {
        var later = DeliveryContext.none(now: now)
        later.captures = links.captures
        guard var run = service.deleteRun(later) else { return }
        if play(&run) == nil { note("the deletion does not end") }
    }

    private mutating func pause(_ wait: Duration) {
        if wait < .zero || wait > .seconds(86_400) { note("a pause of \(wait)") }
        now += Int(wait.components.seconds)
    }

    private mutating func note(_ finding: String?) { broken = broken ?? finding }

    // MARK: Replies

    private mutating func answer(_ request: HTTPRequest) -> Result<HTTPReply, TransportError> {
        note(FuzzPromises.broken(request, service))
        guard !replies.isEmpty, let reply = Self.reply(replies.removeFirst(), request.url) else {
            return .failure(TransportError(.connectionLost, message: "gone", requestFullySent: true))
        }
        if let pause = ReplyPacing(reply, now: now).pause, pause <= .zero || pause > ReplyPacing.longest {
            note("a pause of \(pause)")
        }
        let bounds = service.constraints(discovered: reply)
        for bound in [bounds.maxBytes, bounds.maxEdge, bounds.maxPixels, bounds.maxFrames] {
            if let bound, bound < 1 { note("a bound of \(bound)") }
        }
        return .success(reply)
    }

    private static func reply(_ piece: ArraySlice<UInt8>, _ url: String) -> HTTPReply? {
        let gap = piece.indices.first { piece[$0...].starts(with: [10, 10]) }
        let head = piece[..<(gap ?? piece.endIndex)].split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
        guard let status = head.first.flatMap({ Int($0) }), (200...599).contains(status) else { return nil }
        let headers = head.dropFirst().compactMap { line -> HTTPField? in
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return HTTPField(String(line[..<colon]), String(line[colon...].dropFirst()))
        }
        let body = gap.map { Array(piece[($0 + 2)...]) } ?? []
        return HTTPReply(status: status, headers: headers, body: body, finalURL: url)
    }

    /// What is kept of a delivery under way is read again as the same.
    private func resumed(_ run: DeliveryRun) -> String? {
        let progress = run.progress
        let bytes = Array(progress.serialized().utf8)
        guard let read = try? JSONParser.parse(bytes, maxDepth: JSONParser.deepest), read == progress else {
            return "the progress of a delivery cannot be read again"
        }
        // A deletion has one step, and is not resumed.
        guard progress["step"] != nil, !run.isDeletion else { return nil }
        let again = DeliveryRun(service: service, context: context, resuming: read).progress
        return again == progress ? nil : "a delivery does not go on where it was"
    }
}
