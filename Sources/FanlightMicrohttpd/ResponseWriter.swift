// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
import FanlightCore
import Glibc

/// Queues answers (C: MHD_create_response_from_buffer, MHD_create_response_from_fd64,
/// MHD_create_response_from_callback, MHD_queue_response).
enum ResponseWriter {
    /// What was queued.
    enum Queued {
        /// A body of that many bytes.
        case bytes(Int)
        /// A body without a known end.
        case stream
    }

    /// Makes the library's form of an answer and queues it.
    ///
    /// - Parameters:
    ///   - closing: True to close the connection afterwards.
    ///   - streams: Where a body without a known end is kept, so that a stop can end it.
    /// - Returns: `nil` when the connection has to be dropped, because the library refused or the answer says so.
    static func queue(
        _ answer: HTTPAnswer,
        on connection: OpaquePointer,
        closing: Bool,
        streams: OpenStreams
    ) -> Queued? {
        switch answer.body {
        case .bytes(let bytes):
            // SAFETY: the library copies the bytes before the call returns.
            let response = unsafe bytes.withUnsafeBytes { buffer in
                unsafe MHD_create_response_from_buffer(
                    buffer.count,
                    UnsafeMutableRawPointer(mutating: buffer.baseAddress),
                    .RESPMEM_MUST_COPY
                )
            }
            return unsafe queue(response, answer, on: connection, closing: closing) ? .bytes(bytes.count) : nil
        case .file(let path):
            guard let (descriptor, size) = open(path) else {
                return unsafe queue(RawAnswer.notFound, on: connection, closing: closing, streams: streams)
            }
            // SAFETY: the response owns the descriptor from here on.
            guard let response = unsafe MHD_create_response_from_fd64(UInt64(size), descriptor) else {
                close(descriptor)
                return nil
            }
            return unsafe queue(response, answer, on: connection, closing: closing) ? .bytes(size) : nil
        case .hangUp:
            return nil
        case .stream(let stream):
            let response = unsafe StreamedBody.response(stream, connection, streams)
            return unsafe queue(response, answer, on: connection, closing: closing) ? .stream : nil
        }
    }

    private static func queue(
        _ response: OpaquePointer?,
        _ answer: HTTPAnswer,
        on connection: OpaquePointer,
        closing: Bool
    ) -> Bool {
        guard let response = unsafe response else { return false }
        // SAFETY: the queue holds its own reference; ours ends here.
        defer { unsafe MHD_destroy_response(response) }
        for field in answer.headers where RawAnswer.isSafe(field) && !RawAnswer.isOurs(field.name) {
            unsafe MHD_add_response_header(response, field.name, field.value)
        }
        if closing { unsafe MHD_add_response_header(response, "Connection", "close") }
        let status = (200...999).contains(answer.status) ? answer.status : 500
        return unsafe MHD_queue_response(connection, UInt32(status), response) == .YES
    }

    /// Opens a regular file; `nil` when there is none.
    private static func open(_ path: String) -> (descriptor: Int32, size: Int)? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        // SAFETY: one structure, alive during the call.
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return (descriptor, Int(facts.st_size))
    }
}
