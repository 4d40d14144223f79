// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Synchronization

/// Ways in which receivers of pictures answer; several services share each.
enum SandboxDialect: String {
    /// A form with account and key, an `rsp` element in XML, failures with status 200.
    case rsp
    /// A form with credentials in a header, JSON with `data`, `success` and `status`.
    case envelope
    /// A form with one field, a sentence or a URL.
    case plain
}

/// Loopback services with the contracts of the real ones; they keep what they get and serve it back.
final class SandboxService: HTTPService {
    private let store = SandboxStore(capacity: 500)
    private let base = Mutex("")

    /// Base URL of the links that are handed out.
    func announce(_ url: String) { base.withLock { $0 = url } }

    private var url: String { base.withLock { $0 } }

    func decide(_ head: RequestHead) -> HeadDecision {
        if head.method == "POST" || head.method == "PUT" { return .receive(SandboxSink(head: head, service: self)) }
        let parts = head.path.split(separator: "/").map(String.init)
        switch parts.first {
        case "received": return .answer(text(200, store.received, "application/x-ndjson"))
        case "requests": return .answer(text(200, store.requests, "application/x-ndjson"))
        case "i", "photo", "uploads":
            guard parts.count == 2, let id = parts[1].split(separator: ".").first.map(String.init),
                let picture = store.picture(id)
            else { return .answer(text(404, "not found\n")) }
            return .answer(show(picture, id, head))
        case "3" where head.method == "DELETE":
            let isGone = parts.count == 3 && parts[2].hasPrefix("d") && store.remove(String(parts[2].dropFirst()))
            return .answer(envelope(isGone ? 200 : 404, isGone ? .bool(true) : error("Image not found")))
        default: return .answer(text(404, "Sandbox: POST to /uploadapiwithkey.php, /3/image or /upload.php.\n"))
        }
    }

    /// A browser gets a page, everybody else the picture.
    private func show(_ picture: SandboxStore.Picture, _ id: String, _ head: RequestHead) -> HTTPAnswer {
        if head.header("Accept")?.contains("text/html") == true, head.path.hasPrefix("/photo/") {
            return text(200, "<!doctype html><title>\(id)</title><img src=\"/i/\(id)\">\n", "text/html; charset=utf-8")
        }
        return HTTPAnswer(status: 200, headers: [HTTPField("Content-Type", picture.type)], body: .bytes(picture.bytes))
    }

    /// Answers one complete POST.
    func answer(_ head: RequestHead, _ body: [UInt8]) async -> HTTPAnswer {
        let fault = SandboxFault(head.query)
        if fault.delay > 0 { try? await Task.sleep(for: .milliseconds(fault.delay)) }
        let form = SandboxForm(contentType: head.header("Content-Type") ?? "", body: body)
        let answer = fault.status.map { text($0, "fault asked for\n") } ?? self.answer(head, form)
        store.note(head, form?.fields ?? [], status: answer.status, isAnswered: !fault.drops)
        return fault.drops ? HTTPAnswer(status: answer.status, body: .hangUp) : answer
    }

    private func answer(_ head: RequestHead, _ form: SandboxForm?) -> HTTPAnswer {
        guard let form else { return text(400, "no multipart/form-data\n") }
        switch head.path {
        case "/uploadapiwithkey.php", "/uploadandpostapiwithkey.php": return rspUpload(head.path, form)
        case "/3/image", "/3/upload", "/3/upload.json": return envelopeUpload(head, form)
        case "/upload.php": return php(head.path, form)
        case "/upload.json": return json(head.path, form)
        default: return text(404, "not found\n")
        }
    }

    private func rspUpload(_ path: String, _ form: SandboxForm) -> HTTPAnswer {
        func fail(_ code: Int, _ message: String) -> HTTPAnswer {
            text(
                200,
                "<?xml version=\"1.0\"?><rsp status=\"fail\"><err code=\"\(code)\" msg=\"\(message)\"/></rsp>",
                "text/xml"
            )
        }
        guard form["username"]?.isEmpty == false, form["password"]?.isEmpty == false else {
            return fail(1001, "Invalid twitter username or password")
        }
        guard form["api_key"]?.isEmpty == false else { return fail(1009, "Invalid API key") }
        guard let file = form.files.first(where: { $0.field == "media" }) else { return fail(1002, "Image not found") }
        guard file.bytes.count <= 5_000_000 else { return fail(1004, "Image larger than 5MB") }
        guard let facts = try? ImageReader.read(file.bytes, limits: ImageLimits()),
            [.jpeg, .png, .gif].contains(facts.mediaType)
        else { return fail(1003, "Invalid image type") }
        let place = (form["latitude"].map(isCoordinate), form["longitude"].map(isCoordinate))
        guard place == (nil, nil) || place == (true, true) else { return fail(1005, "Location not found") }
        let id = keep(.rsp, path, form, file, facts)
        return text(
            200,
            "<?xml version=\"1.0\"?><rsp status=\"ok\"><mediaid>\(id)</mediaid><mediaurl>\(url)/photo/\(id)</mediaurl></rsp>",
            "text/xml"
        )
    }

    private func isCoordinate(_ text: String) -> Bool { Double(text).map { abs($0) <= 180 } ?? false }

    private func envelopeUpload(_ head: RequestHead, _ form: SandboxForm) -> HTTPAnswer {
        guard let auth = head.header("Authorization"), auth.hasPrefix("Client-ID "), auth.count > 10 else {
            return envelope(401, error("Authentication required"))
        }
        guard let file = form.files.first(where: { $0.field == "image" }) else {
            return envelope(400, error("No image data was sent to the upload api"))
        }
        guard file.bytes.count <= 10_000_000 else { return envelope(400, error("File is over the size limit")) }
        guard let facts = try? ImageReader.read(file.bytes, limits: ImageLimits()) else {
            return envelope(400, error("Image format not supported, or image is corrupt."))
        }
        let id = keep(.envelope, head.path, form, file, facts)
        return envelope(
            200,
            .object([
                .init("id", .string(id)), .init("deletehash", .string("d" + id)),
                .init("type", .string(facts.mediaType.mime)), .init("width", .number(String(facts.width))),
                .init("height", .number(String(facts.height))),
                .init("link", .string("\(url)/i/\(id).\(facts.mediaType.fileExtension)")),
            ])
        )
    }

    private func error(_ message: String) -> JSONValue { .object([.init("error", .string(message))]) }

    private func envelope(_ status: Int, _ data: JSONValue) -> HTTPAnswer {
        let value = JSONValue.object([
            .init("data", data), .init("success", .bool(status == 200)), .init("status", .number(String(status))),
        ])
        return text(status, value.serialized(), "application/json")
    }

    /// The small PHP receiver: one `file` part, one line of text as its reply.
    private func php(_ path: String, _ form: SandboxForm) -> HTTPAnswer {
        guard let file = form.files.first(where: { $0.field == "file" }),
            let facts = try? ImageReader.read(file.bytes, limits: ImageLimits())
        else { return text(200, "Error uploading file") }
        return text(
            200,
            "Upload Successfully: uploads/\(keep(.plain, path, form, file, facts)).\(facts.mediaType.fileExtension)"
        )
    }

    private func json(_ path: String, _ form: SandboxForm) -> HTTPAnswer {
        guard let file = form.files.first(where: { $0.field == "file" }),
            let facts = try? ImageReader.read(file.bytes, limits: ImageLimits())
        else {
            return text(
                400,
                JSONValue.object([.init("error", .string("no picture in file"))]).serialized(),
                "application/json"
            )
        }
        let link = "\(url)/uploads/\(keep(.plain, path, form, file, facts)).\(facts.mediaType.fileExtension)"
        return text(200, JSONValue.object([.init("url", .string(link))]).serialized(), "application/json")
    }

    private func keep(
        _ dialect: SandboxDialect,
        _ path: String,
        _ form: SandboxForm,
        _ file: SandboxForm.File,
        _ facts: ImageFacts
    ) -> String {
        store.keep(
            dialect: dialect,
            path: path,
            fields: form.fields,
            file: file.name,
            SandboxStore.Picture(type: facts.mediaType.mime, bytes: file.bytes)
        )
    }

    private func text(_ status: Int, _ text: String, _ type: String = "text/plain") -> HTTPAnswer {
        HTTPAnswer(status: status, headers: [HTTPField("Content-Type", type)], body: .bytes(Array(text.utf8)))
    }
}

/// Collects one request body for the sandbox, at most 64 MB.
final class SandboxSink: BodySink {
    private let head: RequestHead
    private let service: SandboxService
    private let body = Mutex<[UInt8]>([])

    init(head: RequestHead, service: SandboxService) {
        self.head = head
        self.service = service
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
        // SAFETY: the bytes are copied within this call.
        body.withLock { body in
            guard body.count + bytes.count <= 64_000_000 else { return HTTPAnswer(status: 413) }
            unsafe body.append(contentsOf: bytes)
            return nil
        }
    }

    func finish() async -> HTTPAnswer { await service.answer(head, body.withLock { $0 }) }

    func abandon() { body.withLock { $0 = [] } }
}
