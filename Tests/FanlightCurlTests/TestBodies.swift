// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Synchronization

/// Bytes that repeat only after 65,521, so that a shifted or doubled piece shows.
func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 1
    let block = (0..<min(count, 65_521)).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}

/// A spool file with these bytes; it has no name any more, as rows of a table are never given up.
func spooled(_ bytes: [UInt8]) -> SpooledFile {
    var template = Array("/tmp/fanlight-curl-XXXXXX".utf8CString)
    // SAFETY: the template is a C string that mkstemp rewrites in place.
    let descriptor = unsafe mkstemp(&template)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var offset = 0
    while offset < bytes.count {
        let got = unsafe bytes[offset...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard got > 0 else { break }
        offset += got
    }
    _ = unsafe unlink(path)
    return SpooledFile(path: path, descriptor: descriptor, size: bytes.count)
}

/// Answers with what it was sent: the body as it came, the head in `X-` fields.
final class EchoService: HTTPService {
    /// Status to answer with, by path.
    let statuses: [String: (status: Int, headers: [HTTPField])]
    init(statuses: [String: (status: Int, headers: [HTTPField])] = [:]) { self.statuses = statuses }

    func decide(_ head: RequestHead) -> HeadDecision {
        if let scripted = statuses[head.path] {
            return .receive(EchoSink(head, status: scripted.status, headers: scripted.headers))
        }
        return .receive(EchoSink(head, status: 200, headers: []))
    }
}

final class EchoSink: BodySink {
    private let head: RequestHead
    private let status: Int
    private let headers: [HTTPField]
    private let body = Mutex<[UInt8]>([])

    init(_ head: RequestHead, status: Int, headers: [HTTPField]) {
        self.head = head
        self.status = status
        self.headers = headers
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
        // SAFETY: copied within the call.
        body.withLock { body in unsafe body.append(contentsOf: bytes) }
        return nil
    }

    func finish() async -> HTTPAnswer {
        let names = head.headers.map { $0.name.lowercased() }.joined(separator: ",")
        return HTTPAnswer(
            status: status,
            headers: headers + [
                HTTPField("X-Method", head.method), HTTPField("X-Path", head.path),
                HTTPField("X-Type", head.header("Content-Type") ?? "none"), HTTPField("X-Names", names),
                HTTPField("X-Length", head.contentLength.map(String.init) ?? "none"),
            ],
            body: .bytes(body.withLock { $0 })
        )
    }

    func abandon() {}
}
