// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMultipart

/// Reads `multipart/form-data`: file parts go to the spool, text parts become fields.
final class MultipartFormReader: UploadFormReader {
    private var parser: MultipartParser
    private let spool: any Spool
    private let limits: IntakeLimits
    private var form = UploadForm()
    private var received = 0
    private var fieldBytes = 0
    private var part = Part.none
    private var isFinished = false

    private enum Part {
        case none
        case file(any SpoolWriter, isNamed: Bool)
        case field(name: String, bytes: [UInt8])
    }

    /// Field names under which clients send a picture without a file name.
    private static let fileNames: Set<String> = ["file", "image", "photo", "picture", "media", "upload", "files[]"]

    init(boundary: [UInt8], spool: any Spool, limits: IntakeLimits) {
        parser = MultipartParser(boundary: boundary, limits: MultipartLimits())
        self.spool = spool
        self.limits = limits
    }

    deinit {
        if case .file(let writer, _) = part { writer.discard() }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        received += bytes.count
        guard received <= limits.maxBody else { throw .bodyTooLarge(limits.maxBody) }
        var passed = 0
        if case .file(let writer, _) = part {
            // SAFETY: the writer takes the bytes before it returns.
            passed = unsafe parser.pass(bytes)
            guard unsafe passed == 0 || writer.append(UnsafeRawBufferPointer(rebasing: bytes[..<passed])) else {
                throw .spoolFull
            }
        }
        // SAFETY: the parser copies what it keeps.
        unsafe parser.append(UnsafeRawBufferPointer(rebasing: bytes[passed...]))
        try drain()
    }

    func finish() throws(Problem) -> UploadForm {
        parser.finishInput()
        try drain()
        guard isFinished else { throw Problem(.malformed, "The multipart body ends before its closing boundary.") }
        guard !form.pictures.isEmpty else {
            throw Problem(
                .noPicture,
                "No part of the body is a picture. Send it as a file part, for example -F file=@photo.jpg."
            )
        }
        return form
    }

    private func drain() throws(Problem) {
        while true {
            let event: MultipartEvent
            do {
                event = try parser.next()
            } catch {
                throw Problem(.malformed, "The multipart body is malformed: \(error).")
            }
            switch event {
            case .partBegan(let head): try begin(head)
            case .data(let bytes): try take(bytes)
            case .partEnded: try end()
            case .finished:
                isFinished = true
                return
            case .needMoreData: return
            }
        }
    }

    private func begin(_ head: PartHead) throws(Problem) {
        guard isFile(head) else {
            part = .field(name: head.name, bytes: [])
            return
        }
        guard form.pictures.count < limits.maxPictures else {
            throw Problem(.malformed, "The body holds more than \(limits.maxPictures) pictures.")
        }
        guard let writer = spool.create() else { throw .spoolFull }
        if limits.hashes { writer.beginHash() }
        part = .file(writer, isNamed: head.filename?.isEmpty == false)
    }

    private func isFile(_ head: PartHead) -> Bool {
        if head.filename != nil { return true }
        if let type = head.contentType, !type.lowercased().hasPrefix("text/") { return true }
        return Self.fileNames.contains(head.name)
    }

    private func take(_ bytes: [UInt8]) throws(Problem) {
        switch part {
        case .none: return
        case .file(let writer, _):
            // SAFETY: the array lives through the call.
            guard unsafe bytes.withUnsafeBytes({ unsafe writer.append($0) }) else { throw .spoolFull }
        case .field(let name, var collected):
            part = .none
            collected += bytes
            fieldBytes += bytes.count
            guard collected.count <= limits.maxField, fieldBytes <= limits.maxFields else {
                throw Problem(.tooLarge, "The field is longer than \(limits.maxField) bytes.", field: name)
            }
            part = .field(name: name, bytes: collected)
        }
    }

    private func end() throws(Problem) {
        defer { part = .none }
        switch part {
        case .none: return
        case .file(let writer, let isNamed):
            guard writer.count > 0 else {
                writer.discard()
                // An empty file input of a web page is a part without a name and without bytes: it is no picture.
                if isNamed { throw Problem(ImageError.empty) }
                return
            }
            guard let file = writer.finish() else { throw .spoolFull }
            form.pictures.append(file)
        case .field(let name, let bytes):
            form.fields.append(HTTPField(name, String(decoding: bytes, as: UTF8.self)))
        }
    }
}
