// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Glibc
import Testing

@testable import FanlightAdapters

/// The faults again, on real sockets and with the transport of the gateway, for one entry of each shape.
@Suite struct SocketConformanceTests {
    /// One request of an entry, sent for real.
    struct Subject: Sendable, CustomStringConvertible {
        let shape: String
        let rehearsal: Rehearsal
        let step: String
        var description: String { "\(shape): \(rehearsal), \(step)" }
    }

    /// The first entry of each kind of body, of requests that may and that may not be repeated.
    static let subjects: [Subject] = {
        var found: [Subject] = []
        for rehearsal in Catalogue.standard.names.flatMap(Rehearsal.all) {
            var host = ScriptedHost(rehearsal)
            for sent in host.deliver(rehearsal.answer).sent where !sent.exchange.isPoll {
                let kind = shape(sent.request.body) + (sent.exchange.isIdempotent ? ", repeatable" : "")
                let isOptional = rehearsal.program(of: sent.exchange.step)?.isOptional ?? true
                if !isOptional, !found.contains(where: { $0.shape == kind }) {
                    found.append(Subject(shape: kind, rehearsal: rehearsal, step: sent.exchange.step))
                }
            }
        }
        return found
    }()

    private static func shape(_ body: HTTPRequest.Body) -> String {
        switch body {
        case .empty: "no body"
        case .bytes: "text"
        case .file: "file"
        case .multipart: "form"
        case .pieces: "pieces"
        }
    }

    @Test func everyShapeIsThere() {
        let shapes = Set(Self.subjects.map(\.shape))
        #expect(shapes.isSuperset(of: ["form", "file", "file, repeatable", "text", "text, repeatable"]), "\(shapes)")
    }

    @Test func faultsOnSocketsEndAsTheTableSays() async throws {
        let transport = CurlTransport()
        defer { transport.shutdown() }
        try await withThrowingTaskGroup(of: [String].self) { group in
            for subject in Self.subjects {
                for fault in SocketFault.all where !fault.isLarge || Self.sendsPicture(subject) {
                    group.addTask { try await Self.trial(subject, fault, transport) }
                }
            }
            for try await lines in group { #expect(lines == []) }
        }
    }

    private static func sendsPicture(_ subject: Subject) -> Bool {
        subject.shape.hasPrefix("form") || subject.shape.hasPrefix("file")
    }

    /// Sends the request of a step to the faulty place and gives the delivery what came of it.
    private static func trial(
        _ subject: Subject,
        _ fault: SocketFault,
        _ transport: CurlTransport
    ) async throws -> [String] {
        var rehearsal = subject.rehearsal
        let file = try #require(Self.file(fault.isLarge ? 64_000_000 : 100_000))
        rehearsal.context.rendition.file = file
        rehearsal.service.timeouts = fault.timeouts
        let first = FaultTrial(rehearsal, subject.step, fault.fault).attempt
        var request = try #require(first.sent.first { $0.exchange.step == subject.step }?.request)
        let (place, end) = Self.open(fault.place)
        defer { end() }
        let address = try #require(WebAddress(request.url))
        request.url = place + address.path + (address.query.map { "?" + $0 } ?? "")
        let answer: Result<HTTPReply, TransportError>
        do throws(TransportError) {
            answer = .success(try await transport.send(request))
        } catch {
            answer = .failure(error)
        }
        let trial = FaultTrial(rehearsal, subject.step, fault.fault, answer: answer)
        return trial.failures.map { "\(subject), \(fault): \($0)" }
    }

    private static func open(_ place: SocketFault.Place) -> (url: String, end: () -> Void) {
        switch place {
        case .nowhere: return ("http://no-such-name.invalid", {})
        case .nobody:
            let (descriptor, port) = RawServer.reserve()
            return ("http://127.0.0.1:\(port)", { _ = close(descriptor) })
        case .server(let script):
            let server = RawServer(script)
            return (server.url, server.stop)
        case .secureServer(let script):
            let server = RawServer(script)
            return ("https://127.0.0.1:\(server.port)", server.stop)
        }
    }

    /// A file of zeros that takes no room on the disk and goes with its last user.
    private static func file(_ size: Int) -> SpooledFile? {
        var path = Array("/tmp/fanlight-socket-XXXXXX".utf8CString)
        // SAFETY: the template is a string of its own with a zero at its end.
        let descriptor = unsafe mkstemp(&path)
        guard descriptor >= 0, ftruncate(descriptor, size) == 0 else { return nil }
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return SpooledFile(path: name, descriptor: descriptor, size: size)
    }
}
