// SPDX-License-Identifier: Apache-2.0

import CCurl
import FanlightCore
import Glibc

/// Bytes that curl pulls while it sends: a whole body, or one part of a multipart body.
///
/// A file is read with `pread` from the spool's shared descriptor straight into curl's upload buffer.
///
/// curl repeats a request by itself when a reused connection dies without an answer, even after the whole body was
/// sent. The service may have acted on it then, so a source that was read to its end refuses to rewind, and the
/// transfer ends as a lost connection instead of being sent twice.
///
/// The source whose end is the end of the body may have a gate: its last byte is then held back until ``open()``.
final class BodySource {
    enum Content {
        case bytes([UInt8])
        case file(SpooledFile)
        case pieces([HTTPRequest.Piece])
    }

    let size: Int
    private let content: Content
    private var offset = 0
    /// True after the disk failed or the file was shorter than it claimed.
    private(set) var hasFailed = false
    /// True after curl wanted to repeat a request whose body it had taken whole.
    private(set) var hasRefusedRewind = false
    /// Called once, when all but the last byte is about to be handed over.
    var askForEnd: (() -> Void)?
    private var isGated: Bool { askForEnd != nil && !isOpen }
    private var hasAsked = false
    private var isOpen = false

    init(_ content: Content) {
        self.content = content
        switch content {
        case .bytes(let bytes): size = bytes.count
        case .file(let file): size = file.size
        case .pieces(let pieces): size = pieces.reduce(0) { $0 + $1.size }
        }
    }

    /// Fills curl's buffer; 0 at the end; curl's abort value when the disk fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var wanted = min(buffer.count, size - offset)
        guard wanted > 0 else { return 0 }
        if offset + wanted == size, isGated {
            if !hasAsked {
                hasAsked = true
                askForEnd?()
            }
            // The gate may have opened within the call.
            if isGated { wanted -= 1 }
            guard wanted > 0 else { return fl_read_pause() }
        }
        // SAFETY: the slice is within curl's buffer.
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        let got =
            switch content {
            case .bytes(let bytes): unsafe PieceReader.read(bytes, at: offset, into: target)
            case .file(let file): unsafe file.read(into: target, at: offset)
            case .pieces(let pieces): unsafe PieceReader.read(pieces, at: offset, into: target)
            }
        guard got > 0 else {
            hasFailed = true
            return fl_read_abort()
        }
        offset += got
        return got
    }

    /// Lets the last byte go.
    func open() { isOpen = true }

    /// Goes back for a repeat of the request; only before the source was read to its end.
    func seek(to position: Int, origin: Int32) -> Int32 {
        guard origin == SEEK_SET, position >= 0, position <= size else { return fl_seek_fail() }
        if offset == size, position < size {
            hasRefusedRewind = true
            return fl_seek_fail()
        }
        offset = position
        return fl_seek_ok()
    }

    // SAFETY: each context is a BodySource that its transfer keeps until curl has let go of the handle.
    static let readCallback: curl_read_callback = { buffer, size, count, context in
        guard let buffer = unsafe buffer, let context = unsafe context else { return fl_read_abort() }
        let source = unsafe Unmanaged<BodySource>.fromOpaque(context).takeUnretainedValue()
        return unsafe source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }

    static let seekCallback: curl_seek_callback = { context, offset, origin in
        guard let context = unsafe context else { return fl_seek_fail() }
        let source = unsafe Unmanaged<BodySource>.fromOpaque(context).takeUnretainedValue()
        return source.seek(to: Int(offset), origin: origin)
    }
}
