// SPDX-License-Identifier: Apache-2.0

import CCurl
import FanlightCore

/// One request on its way: an easy handle and everything that curl points into while it runs.
///
/// Concurrency: lives on the transfer thread only.
@safe
final class Transfer {
    /// Bytes of the upload buffer while so many transfers run; memory of a transfer is mostly this.
    ///
    /// Smaller ones need more calls of the system: 128 is four uploads at a time to 32 services, with 34 MB. What is larger
    /// than the body would never be filled.
    ///
    /// The buffer for replies keeps its size: a handle has one for as long as it lives, and libcurl 7.88 writes beyond the end
    /// of one that was made when another size was set (C: CURLOPT_BUFFERSIZE).
    ///
    /// - Parameter size: Bytes of the body; a form adds its marks.
    static func uploadBuffer(running: Int, size: Int) -> Int {
        let most =
            switch running {
            case ..<128: 262_144
            case ..<512: 65_536
            default: smallestBuffer
            }
        let wanted = size.addingReportingOverflow(4_096)
        guard !wanted.overflow, wanted.partialValue < most else { return most }
        return (wanted.partialValue / smallestBuffer + 1) * smallestBuffer
    }

    /// libcurl takes no less.
    private static let smallestBuffer = 16_384

    let ticket: TransferTicket
    let easy: UnsafeMutableRawPointer
    private var collector: ReplyCollector
    private var sources: [BodySource] = []
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var mime: OpaquePointer?
    private let started = ContinuousClock.now
    private var lastProgress = ContinuousClock.now
    private var lastCount = 0

    private var request: HTTPRequest { ticket.request }

    /// Fills a clean handle for the ticket's request; ``setUp(running:)`` does the rest.
    init(_ ticket: TransferTicket, easy: UnsafeMutableRawPointer) {
        self.ticket = ticket
        unsafe self.easy = unsafe easy
        collector = ReplyCollector(maxBodyBytes: ticket.request.maxReplyBytes)
    }

    /// Sets every option.
    ///
    /// - Parameter running: Transfers in flight; they and the body decide the size of the upload buffer.
    /// - Returns: `nil`, or why the request cannot be sent.
    func setUp(running: Int) -> TransportError? {
        if let problem = RequestCheck.problem(with: request) { return problem }
        let remaining = max(.milliseconds(1), ticket.deadline - started)
        setFixedOptions()
        // SAFETY: the handle is alive; curl copies strings.
        unsafe fl_setopt_string(easy, CURLOPT_URL, request.url)
        unsafe fl_setopt_long(easy, CURLOPT_TIMEOUT_MS, max(1, remaining.wholeMilliseconds))
        unsafe fl_setopt_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, request.timeouts.connect.wholeMilliseconds))
        setCallbacks()
        guard setBody(), setHeaders() else {
            return TransportError(.connectionLost, message: "Out of memory.", requestFullySent: false)
        }
        let size = sources.reduce(0) { $0 + $1.size }
        // SAFETY: the handle is alive.
        unsafe fl_setopt_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBuffer(running: running, size: size))
        return nil
    }

    /// Frees what curl pointed to; call after the handle left the multi handle and was reset.
    func tearDown() {
        // SAFETY: the handle was reset, so curl holds no pointer to these any more.
        if let mime = unsafe mime { unsafe curl_mime_free(mime) }
        if let headerList = unsafe headerList { unsafe curl_slist_free_all(headerList) }
        unsafe mime = nil
        unsafe headerList = nil
        sources = []
    }

    // MARK: The end of the body

    /// Holds the last byte of the body back and says so once; false where there is no body to hold.
    func holdEnd(_ ask: @escaping () -> Void) -> Bool {
        guard let last = sources.last(where: { $0.size > 0 }) else { return false }
        last.askForEnd = ask
        return true
    }

    /// Lets the rest of the body go (C: curl_easy_pause).
    func releaseEnd() {
        guard let last = sources.last(where: { $0.askForEnd != nil }) else { return }
        last.open()
        // SAFETY: called on the transfer thread for a handle that is in the multi handle.
        unsafe curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    // MARK: Outcome

    /// True when the whole request was handed to the kernel.
    var requestFullySent: Bool {
        // curl sets its counters back before it asks for the rewind.
        if sources.contains(where: \.hasRefusedRewind) { return true }
        // SAFETY: the handle is alive until tearDown.
        guard unsafe fl_getinfo_long(easy, CURLINFO_REQUEST_SIZE) > 0 else { return false }
        guard !sources.isEmpty else { return true }
        let total = unsafe fl_getinfo_off(easy, CURLINFO_CONTENT_LENGTH_UPLOAD_T)
        return unsafe total >= 0 && fl_getinfo_off(easy, CURLINFO_SIZE_UPLOAD_T) >= total
    }

    /// The outcome for curl's result code.
    func outcome(of code: CURLcode) -> TransferTicket.Outcome {
        guard code == CURLE_OK else { return .failure(error(for: code)) }
        guard collector.headIsComplete else {
            return .failure(error(.connectionLost, "The connection was closed amid the reply's header lines."))
        }
        // SAFETY: the handle is alive until tearDown.
        let status = unsafe fl_getinfo_long(easy, CURLINFO_RESPONSE_CODE)
        guard status >= 200 else {
            return .failure(error(.malformedReply, "The reply has no status."))
        }
        return .success(
            HTTPReply(
                status: status,
                headers: collector.headers,
                body: collector.body,
                finalURL: request.url,
                requestFullySent: requestFullySent
            )
        )
    }

    /// An error of this transfer as it stands now.
    func error(_ cause: TransportError.Cause, _ message: String) -> TransportError {
        TransportError(cause, message: message, requestFullySent: requestFullySent)
    }

    private func error(for code: CURLcode) -> TransportError {
        switch collector.failure {
        case .bodyTooLarge:
            return error(.replyTooLarge, "The reply is larger than \(request.maxReplyBytes) bytes.")
        case .headersTooLarge:
            return error(
                .replyTooLarge,
                "The reply's head is larger than \(ReplyCollector.maxHeaderBytes) bytes."
            )
        case nil: break
        }
        if sources.contains(where: \.hasFailed) { return error(.connectionLost, "The spool file cannot be read.") }
        if sources.contains(where: \.hasRefusedRewind) {
            return error(.connectionLost, "The connection was closed without a reply.")
        }
        // SAFETY: the handle is alive until tearDown.
        let hasSent = unsafe fl_getinfo_long(easy, CURLINFO_REQUEST_SIZE) > 0
        if code == CURLE_OPERATION_TIMEDOUT {
            let isTotal = hasSent || ContinuousClock.now + .milliseconds(5) >= ticket.deadline
            return isTotal
                ? error(.totalTimeout, "No complete reply within \(request.timeouts.total).")
                : error(.connectTimeout, "No connection within \(request.timeouts.connect).")
        }
        return error(CurlFailure.cause(of: code, afterSend: hasSent), CurlFailure.text(of: code))
    }

    // MARK: Stall

    /// Looks whether bytes moved since the last look, and tells how long there was silence.
    ///
    /// The clock starts with the first byte of the request; before that the connect timeout rules.
    func silence(at now: ContinuousClock.Instant) -> Duration {
        // SAFETY: the handle is alive until tearDown.
        let head = unsafe max(0, fl_getinfo_long(easy, CURLINFO_REQUEST_SIZE))
        let sent = unsafe max(0, Int(fl_getinfo_off(easy, CURLINFO_SIZE_UPLOAD_T)))
        let count = head + sent + collector.bytesSeen
        if count == 0 || count != lastCount {
            lastCount = count
            ticket.request.progress?(sent)
            lastProgress = now
        }
        return now - lastProgress
    }

    // MARK: Options

    private func setFixedOptions() {
        // SAFETY: the handle is alive; curl copies strings.
        unsafe fl_setopt_long(easy, CURLOPT_HTTP_VERSION, fl_http_1_1())
        unsafe fl_setopt_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe fl_setopt_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        unsafe fl_setopt_long(easy, CURLOPT_NOSIGNAL, 1)
        unsafe fl_setopt_long(easy, CURLOPT_NETRC, 0)
        unsafe fl_setopt_string(easy, CURLOPT_PROXY, "")
        unsafe fl_setopt_long(easy, CURLOPT_NOPROGRESS, 1)
        unsafe fl_setopt_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
        // Without it, ending a transfer waits for a name lookup that hangs.
        unsafe fl_setopt_long(easy, CURLOPT_QUICK_EXIT, 1)
    }

    private func setCallbacks() {
        // SAFETY: the engine keeps this transfer until the handle was reset.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe fl_setopt_pointer(easy, CURLOPT_PRIVATE, context)
        unsafe fl_setopt_write(easy) { bytes, size, count, context in
            unsafe Transfer.take(bytes, size * count, context) { unsafe $0.collector.takeBody($1) }
        }
        unsafe fl_setopt_pointer(easy, CURLOPT_WRITEDATA, context)
        unsafe fl_setopt_header(easy) { bytes, size, count, context in
            unsafe Transfer.take(bytes, size * count, context) { unsafe $0.collector.takeHeader($1) }
        }
        unsafe fl_setopt_pointer(easy, CURLOPT_HEADERDATA, context)
    }

    /// Hands bytes from curl to the transfer behind the context; 0 tells curl to give up.
    private static func take(
        _ bytes: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ context: UnsafeMutableRawPointer?,
        _ body: (Transfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let context = unsafe context else { return 0 }
        // SAFETY: the context is the transfer set in setCallbacks, alive while curl runs its handle.
        let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        // curl takes 0 of 0 bytes as success.
        return unsafe body(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    private func setBody() -> Bool {
        // SAFETY: the handle is alive; sources outlive it (see tearDown).
        switch request.body {
        case .bytes(let bytes) where !bytes.isEmpty: setStream(BodySource(.bytes(bytes)))
        case .file(let file) where file.size > 0: setStream(BodySource(.file(file)))
        case .pieces(let pieces) where pieces.contains(where: { $0.size > 0 }): setStream(BodySource(.pieces(pieces)))
        case .multipart(let parts):
            guard setMultipart(parts) else { return false }
        default: setEmptyBody()
        }
        return true
    }

    private func setEmptyBody() {
        // SAFETY: the handle is alive; the empty string is copied.
        switch request.method {
        case "GET": unsafe fl_setopt_long(easy, CURLOPT_HTTPGET, 1)
        case "HEAD": unsafe fl_setopt_long(easy, CURLOPT_NOBODY, 1)
        case "POST", "PUT", "PATCH":
            unsafe fl_setopt_off(easy, CURLOPT_POSTFIELDSIZE_LARGE, 0)
            unsafe fl_setopt_string(easy, CURLOPT_COPYPOSTFIELDS, "")
            if request.method != "POST" { unsafe fl_setopt_string(easy, CURLOPT_CUSTOMREQUEST, request.method) }
            // Nothing can stop curl from repeating a request without a body when a reused connection dies.
            unsafe fl_setopt_long(easy, CURLOPT_FRESH_CONNECT, 1)
        default: unsafe fl_setopt_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func setStream(_ source: BodySource) {
        sources = [source]
        // SAFETY: the source is kept in `sources` until tearDown.
        let context = unsafe Unmanaged.passUnretained(source).toOpaque()
        unsafe fl_setopt_long(easy, CURLOPT_POST, 1)
        unsafe fl_setopt_off(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(source.size))
        unsafe fl_setopt_read(easy, BodySource.readCallback)
        unsafe fl_setopt_pointer(easy, CURLOPT_READDATA, context)
        unsafe fl_setopt_seek(easy, BodySource.seekCallback)
        unsafe fl_setopt_pointer(easy, CURLOPT_SEEKDATA, context)
        if request.method != "POST" { unsafe fl_setopt_string(easy, CURLOPT_CUSTOMREQUEST, request.method) }
    }

    private func setMultipart(_ parts: [HTTPRequest.Part]) -> Bool {
        // SAFETY: the mime tree is freed in tearDown; curl copies names, types and file names.
        guard let tree = unsafe curl_mime_init(easy) else { return false }
        unsafe mime = tree
        for part in parts {
            guard let field = unsafe curl_mime_addpart(tree) else { return false }
            unsafe curl_mime_name(field, part.name)
            let source: BodySource
            switch part.content {
            case .text(let text): source = BodySource(.bytes(Array(text.utf8)))
            case .file(let file, let name):
                source = BodySource(.file(file))
                unsafe curl_mime_filename(field, name)
            }
            if let type = part.contentType { unsafe curl_mime_type(field, type) }
            sources.append(source)
            let context = unsafe Unmanaged.passUnretained(source).toOpaque()
            guard
                unsafe curl_mime_data_cb(
                    field,
                    source.size,
                    BodySource.readCallback,
                    BodySource.seekCallback,
                    nil,
                    context
                )
                    == CURLE_OK
            else { return false }
        }
        unsafe fl_setopt_pointer(easy, CURLOPT_MIMEPOST, UnsafeMutableRawPointer(tree))
        if request.method != "POST" { unsafe fl_setopt_string(easy, CURLOPT_CUSTOMREQUEST, request.method) }
        return true
    }

    private func setHeaders() -> Bool {
        // The length is curl's to write: another one would let a request be read as two.
        let fields = request.headers.filter { !["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        var lines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        func has(_ name: String) -> Bool { request.headers.contains { $0.name.lowercased() == name } }
        // An absent value takes back what curl adds: waiting for 100 Continue, and a form's type.
        if !has("expect") { lines.append("Expect:") }
        if case .multipart = request.body {} else if !has("content-type") { lines.append("Content-Type:") }
        // SAFETY: the list is freed in tearDown; curl copies each line.
        for line in lines {
            guard let longer = unsafe curl_slist_append(headerList, line) else { return false }
            unsafe headerList = unsafe longer
        }
        unsafe fl_setopt_pointer(easy, CURLOPT_HTTPHEADER, headerList)
        return true
    }
}

extension Duration {
    /// Milliseconds, rounded up, within what curl takes: 0 to 2^31 - 1.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let rest = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return max(0, min(Int(Int32.max), Int(max(0, min(seconds, 2_147_483))) * 1_000 + rest))
    }
}
