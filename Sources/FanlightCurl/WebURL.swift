// SPDX-License-Identifier: Apache-2.0

import CCurl
import Glibc

/// The parts of an http or https URL, read by curl's own parser so that both agree on the host (C: curl_url_set).
struct WebURL: Sendable {
    /// Scheme, host and port with the default port written out.
    struct Origin: Sendable, Equatable {
        let scheme: String
        let host: String
        let port: String
    }

    let text: String
    let origin: Origin
    let hasUserInfo: Bool

    /// Reads a URL; `nil` when it is not an absolute http or https URL with a host.
    ///
    /// - Parameter base: Absolute URL that a relative `text` is resolved against.
    init?(_ text: String, relativeTo base: String? = nil) {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }), let handle = unsafe curl_url() else {
            return nil
        }
        // SAFETY: the handle is ours from curl_url to curl_url_cleanup and does not leave this initialiser.
        defer { unsafe curl_url_cleanup(handle) }
        if let base {
            guard unsafe curl_url_set(handle, CURLUPART_URL, base, 0) == CURLUE_OK else { return nil }
        }
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle)?.lowercased(),
            scheme == "http" || scheme == "https",
            let host = unsafe Self.part(CURLUPART_HOST, of: handle)?.lowercased(), !host.isEmpty,
            let port = unsafe Self.part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT)),
            let whole = unsafe Self.part(CURLUPART_URL, of: handle)
        else { return nil }
        self.text = whole
        self.origin = Origin(scheme: scheme, host: host, port: port)
        self.hasUserInfo = unsafe Self.part(CURLUPART_USER, of: handle) != nil
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        // SAFETY: curl writes a fresh string that we copy and free with curl_free.
        guard unsafe curl_url_get(handle, part, &value, flags) == CURLUE_OK, let text = unsafe value else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
