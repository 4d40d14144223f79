// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMultipart
import Synchronization

/// Receives the body of one `POST /v1/uploads` and answers with its report.
final class UploadSink: BodySink {
    private let state: Mutex<Guarded>
    private let head: RequestHead
    private let gateway: Gateway
    private let client: Client
    private let timing = UploadTiming()

    /// A reader that is only touched under the lock.
    private struct Guarded: @unchecked Sendable {
        // SAFETY: the sink owns the reader alone and uses it only inside `withLock`.
        var reader: (any UploadFormReader)?
    }

    /// Chooses the reader by Content-Type.
    init(head: RequestHead, gateway: Gateway, client: Client) throws(Problem) {
        self.head = head
        self.client = client
        self.gateway = gateway
        state = Mutex(Guarded(reader: try Self.reader(for: head, gateway: gateway)))
    }

    private static func reader(for head: RequestHead, gateway: Gateway) throws(Problem) -> any UploadFormReader {
        let full = head.header("Content-Type") ?? ""
        let type = full.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        let limits = gateway.settings.intake
        switch type {
        case "multipart/form-data":
            guard let boundary = BoundaryParameter.parse(full) else {
                throw Problem(.malformed, "The Content-Type has no usable boundary parameter.")
            }
            return MultipartFormReader(boundary: boundary, spool: gateway.spool, limits: limits)
        case "application/json":
            return EncodedFormReader(.json, spool: gateway.spool, limits: limits)
        case "application/x-www-form-urlencoded":
            return EncodedFormReader(.urlEncoded, spool: gateway.spool, limits: limits)
        case "", "application/octet-stream":
            return try RawFormReader(isPicture: !type.isEmpty, spool: gateway.spool, limits: limits)
        case _ where type.hasPrefix("image/"):
            return try RawFormReader(isPicture: !type.isEmpty, spool: gateway.spool, limits: limits)
        default:
            throw Problem(
                .unsupportedType,
                "Send multipart/form-data, an image type, application/json or application/x-www-form-urlencoded."
            )
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
        // SAFETY: the reader copies what it keeps before this call returns.
        state.withLock { state in
            do throws(Problem) {
                // A body without a declared length is counted as it comes.
                if head.contentLength == nil, let admission = client.admission, !admission.grow(by: bytes.count) {
                    throw .tooMuchUnderWay
                }
                try unsafe state.reader?.receive(bytes)
                return nil
            } catch {
                state.reader = nil
                return error.answer
            }
        }
    }

    func finish() async -> HTTPAnswer {
        timing.noteReceived()
        var answer = await answer()
        answer.headers.append(timing.header)
        return answer
    }

    private func answer() async -> HTTPAnswer {
        let read = state.withLock { state -> Result<UploadForm, Problem> in
            defer { state.reader = nil }
            do throws(Problem) {
                guard let form = try state.reader?.finish() else { throw Problem(.malformed, "The body was refused.") }
                return .success(form)
            } catch {
                return .failure(error)
            }
        }
        do throws(Problem) {
            return try await gateway.answer(read.get(), head: head, client: client, timing: timing)
        } catch {
            return error.answer
        }
    }

    func abandon() { state.withLock { $0.reader = nil } }
}
