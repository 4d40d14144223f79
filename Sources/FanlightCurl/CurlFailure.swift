// SPDX-License-Identifier: Apache-2.0

import CCurl
import FanlightCore

/// Turns curl's codes into the bounded causes of the port.
///
/// Messages are curl's fixed text for the code and the host at most: its error buffer may quote URLs.
enum CurlFailure {
    /// The cause that a code means.
    ///
    /// - Parameter afterSend: True when bytes of the request had left; it tells a bad URL from a bad reply.
    static func cause(of code: CURLcode, afterSend: Bool) -> TransportError.Cause {
        switch code {
        case CURLE_URL_MALFORMAT: .badURL
        case CURLE_UNSUPPORTED_PROTOCOL: afterSend ? .malformedReply : .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .refused
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_CHUNK_FAILED, CURLE_WRITE_ERROR,
            CURLE_FILESIZE_EXCEEDED:
            .malformedReply
        default: .connectionLost
        }
    }

    /// curl's own fixed words for a code, as a sentence.
    static func text(of code: CURLcode) -> String {
        guard let words = unsafe curl_easy_strerror(code) else { return "Transfer failed." }
        // SAFETY: curl_easy_strerror returns a static string.
        return unsafe String(cString: words) + "."
    }
}
