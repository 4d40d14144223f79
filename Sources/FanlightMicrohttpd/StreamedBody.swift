// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
import FanlightCore
import Synchronization

/// Sends an ``AnswerStream`` (C: MHD_create_response_from_callback); the connection is suspended while nothing waits.
@safe
final class StreamedBody: Sendable {
    /// Bytes that the library asks for at a time.
    private static let blockSize = 16_384

    private let stream: AnswerStream
    private let streams: OpenStreams
    // SAFETY: used under the lock until `end`, which the library calls before it lets go of the connection.
    private nonisolated(unsafe) let connection: OpaquePointer
    private let phase = Mutex(Phase.running)

    private enum Phase { case running, suspended, over }

    private init(_ stream: AnswerStream, _ connection: OpaquePointer, _ streams: OpenStreams) {
        self.stream = stream
        unsafe self.connection = unsafe connection
        self.streams = streams
    }

    /// The library's form of the body; `nil` when it refuses.
    static func response(
        _ stream: AnswerStream,
        _ connection: OpaquePointer,
        _ streams: OpenStreams
    ) -> OpaquePointer? {
        let body = unsafe StreamedBody(stream, connection, streams)
        // SAFETY: retained here, released by `free`, which the library calls once when the response is gone.
        let context = unsafe Unmanaged.passRetained(body)
        let response = unsafe MHD_create_response_from_callback(
            UInt64.max,
            blockSize,
            { context, _, buffer, size in
                guard let context = unsafe context, let buffer = unsafe buffer else { return -1 }
                let body = unsafe Unmanaged<StreamedBody>.fromOpaque(context).takeUnretainedValue()
                return unsafe body.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
            },
            context.toOpaque(),
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<StreamedBody>.fromOpaque(context).takeRetainedValue().end()
            }
        )
        guard let response = unsafe response else {
            unsafe context.release()
            stream.close()
            return nil
        }
        stream.setWake { [weak body] in body?.wake() }
        streams.add(stream)
        return unsafe response
    }

    /// Bytes copied; 0 with the connection suspended; -1 at the end (MHD_CONTENT_READER_END_OF_STREAM).
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        phase.withLock { phase in
            switch stream.take(atMost: buffer.count) {
            case .bytes(let bytes):
                // SAFETY: the buffer is the library's, and the stream gave no more than fits.
                unsafe buffer.copyBytes(from: bytes)
                return bytes.count
            case .finished: return -1
            case .nothing:
                // SAFETY: called within the library's callback for this connection. News that comes now waits for
                // the lock and then finds the connection suspended.
                unsafe MHD_suspend_connection(connection)
                phase = .suspended
                return 0
            }
        }
    }

    private func wake() {
        phase.withLock { phase in
            guard phase == .suspended else { return }
            phase = .running
            // SAFETY: a suspended connection is kept by the library until it is resumed.
            unsafe MHD_resume_connection(connection)
        }
    }

    private func end() {
        phase.withLock { $0 = .over }
        streams.remove(stream)
        stream.close()
    }
}

/// Streams that are being sent, so that a stop can end them.
final class OpenStreams: Sendable {
    private struct State {
        var streams: [ObjectIdentifier: AnswerStream] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.streams.count } }

    func add(_ stream: AnswerStream) {
        let isLate = state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = stream
            return state.isStopped
        }
        if isLate { stream.finish() }
    }

    func remove(_ stream: AnswerStream) {
        state.withLock { _ = $0.streams.removeValue(forKey: ObjectIdentifier(stream)) }
    }

    /// Finishes all streams, and those that come later.
    func stop() {
        let all = state.withLock { state in
            state.isStopped = true
            return Array(state.streams.values)
        }
        for stream in all { stream.finish() }
    }
}
