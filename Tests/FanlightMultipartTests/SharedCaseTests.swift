// SPDX-License-Identifier: Apache-2.0

import FanlightMultipart
import Glibc
import Testing

/// Requests that clients sent, where they lie beside the package or in the folder that FANLIGHT_SHARED names.
enum SharedCases {
    /// The folder of cases; `nil` where there is none.
    static let folder: String? = {
        // SAFETY: the strings live through the calls; getenv's result is copied at once.
        var candidates: [String] = unsafe getenv("FANLIGHT_SHARED").map { [unsafe String(cString: $0)] } ?? []
        var parts = #filePath.split(separator: "/")
        while parts.popLast() != nil { candidates.append("/" + parts.joined(separator: "/") + "/shared") }
        return candidates.map { $0 + "/cases" }.first { unsafe access($0, R_OK) == 0 }
    }()

    static func bytes(_ path: String) -> [UInt8]? {
        guard let folder, let file = unsafe fopen(folder + "/" + path, "rb") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        // SAFETY: the block bounds the read.
        while case let count = unsafe fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return bytes
    }

    /// Splits a stored request into the boundary of its Content-Type and its body.
    static func request(_ path: String) -> (boundary: String, body: [UInt8])? {
        guard let raw = bytes(path) else { return nil }
        let end = Array("\r\n\r\n".utf8)
        guard let cut = raw.indices.first(where: { raw[$0...].starts(with: end) }) else { return nil }
        let lines = String(decoding: raw[..<cut], as: UTF8.self).split(separator: "\r\n")
        let type = lines.first { $0.lowercased().hasPrefix("content-type:") }
        guard let boundary = type.flatMap({ BoundaryParameter.parse(String($0.dropFirst(13))) }) else { return nil }
        return (String(decoding: boundary, as: UTF8.self), Array(raw[(cut + 4)...]))
    }
}

/// The whole suite passes trivially where the cases are not there; the package's own fixtures hold the same traps.
@Suite struct SharedCaseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var path: String
        /// Names of all parts in order; a file's name after a slash.
        var names: [String]
        /// Bytes of the file part; `nil` = not checked.
        var fileBytes: Int?
        var testDescription: String { path }
    }

    static let seeds = "seed-requests/seed-"
    static let tweetphoto = ["username", "password", "api_key", "message", "tags"]
    static let rows: [Row] =
        [
            Row(path: "\(seeds)disk-stream-no-last-crlf.http", names: ["title", "file/a.jpg"]),
            Row(path: "\(seeds)final-boundary-space.http", names: ["title", "file/a.jpg"]),
            Row(path: "\(seeds)imgur-attachment.http", names: ["image/.tiff", "title", "description"]),
            Row(path: "\(seeds)not-a-picture.http", names: ["title", "audioBody/memo.caf"]),
            Row(path: "\(seeds)tweetphoto-host-header.http", names: tweetphoto + ["media"]),
            Row(path: "\(seeds)tweetphoto-jpeg-called-png.http", names: tweetphoto + ["media"]),
            Row(path: "\(seeds)tweetphoto-split-header.http", names: tweetphoto + ["media"]),
            Row(path: "\(seeds)tweetphoto-with-location.http", names: tweetphoto + ["latitude", "longitude", "media"]),
            Row(path: "mp-01/request.raw", names: ["description"]),
            Row(
                path: "mp-06/request.raw",
                names: ["file/pic.jpg", "title", "services", "latitude", "longitude"],
                fileBytes: 709
            ),
        ]
        + [
            "70-char-boundary", "capital-parameter", "dotnet", "one-char-boundary", "params-after-plain",
            "params-after-quoted", "params-after", "quoted-space", "trailing-space",
        ].map { Row(path: "mp-04/request-\($0).raw", names: ["title", "file/pic.jpg"], fileBytes: 709) }

    @Test(arguments: rows)
    func readsTheRequest(_ row: Row) throws {
        guard SharedCases.folder != nil else { return }
        let request = try #require(SharedCases.request(row.path))
        let whole = read([request.body], boundary: request.boundary)
        #expect(whole.error == nil && whole.isFinished)
        let names = whole.parts.map { $0.head.name + ($0.head.filename.map { "/\($0)" } ?? "") }
        #expect(names.starts(with: row.names), "\(names)")
        if let size = row.fileBytes {
            #expect(whole.parts.first { $0.head.filename != nil }?.content.count == size)
        }
        let single = read(request.body.map { [$0] }, boundary: request.boundary)
        #expect(single.parts == whole.parts)
    }

    @Test func joinsALongField() throws {
        guard SharedCases.folder != nil else { return }
        let request = try #require(SharedCases.request("mp-01/request.raw"))
        let expected = try #require(SharedCases.bytes("mp-01/expected.txt"))
        for size in [1, 2, 3, 5, 1_000, 4_096, 21_000] {
            let blocks = stride(from: 0, to: request.body.count, by: size).map {
                Array(request.body[$0..<min($0 + size, request.body.count)])
            }
            #expect(read(blocks, boundary: request.boundary).parts.first?.content == expected)
        }
    }
}
