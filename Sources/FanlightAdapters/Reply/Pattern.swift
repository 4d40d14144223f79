// SPDX-License-Identifier: Apache-2.0

import CPCRE2

/// A compiled regular expression with bounded work; the only file that sees PCRE2.
///
/// Operators write the pattern, strangers write the subject: match, depth and heap limits keep both harmless.
@safe
final class Pattern: @unchecked Sendable {
    // SAFETY: PCRE2 never changes compiled code; each match has its own data and context.
    private let code: OpaquePointer

    /// Why a pattern is none, with the place; `nil` when it is a valid one.
    static func problem(_ pattern: String) -> String? {
        let bytes = Array(pattern.utf8)
        var error: Int32 = 0
        var offset = 0
        let flags = UInt32(PCRE2_UTF) | UInt32(PCRE2_NEVER_BACKSLASH_C)
        // SAFETY: the bytes outlive the call; a compiled pattern is freed here.
        if let code = unsafe pcre2_compile_8(bytes, bytes.count, flags, &error, &offset, nil) {
            unsafe pcre2_code_free_8(code)
            return nil
        }
        var text = [UInt8](repeating: 0, count: 256)
        // SAFETY: PCRE2 writes at most the array's size (C: pcre2_get_error_message).
        let size = Int(unsafe pcre2_get_error_message_8(error, &text, text.count))
        let words = size > 0 ? String(decoding: text.prefix(size), as: UTF8.self) : "error \(error)"
        return "the regular expression is not valid: \(words) at character \(offset + 1)"
    }

    /// Compiles a pattern (C: pcre2_compile); `nil` when it is not a valid one.
    init?(_ pattern: String) {
        let bytes = Array(pattern.utf8)
        var error: Int32 = 0
        var offset = 0
        let flags = UInt32(PCRE2_UTF) | UInt32(PCRE2_NEVER_BACKSLASH_C)
        // SAFETY: the bytes outlive the call; PCRE2 copies what it needs.
        guard let code = unsafe pcre2_compile_8(bytes, bytes.count, flags, &error, &offset, nil) else { return nil }
        unsafe self.code = code
    }

    deinit {
        // SAFETY: this object is the only owner.
        unsafe pcre2_code_free_8(code)
    }

    /// Whole match and groups of the first match (C: pcre2_match).
    ///
    /// - Returns: `nil` without a match and when a limit is reached; a group that took no part is `nil`.
    func firstMatch(in subject: String) -> [String?]? {
        let bytes = Array(subject.utf8)
        // SAFETY: data and context are created, used and freed here; the offsets are copied out before that.
        guard let data = unsafe pcre2_match_data_create_from_pattern_8(code, nil) else { return nil }
        defer { unsafe pcre2_match_data_free_8(data) }
        guard let context = unsafe pcre2_match_context_create_8(nil) else { return nil }
        defer { unsafe pcre2_match_context_free_8(context) }
        _ = unsafe pcre2_set_match_limit_8(context, 200_000)
        _ = unsafe pcre2_set_depth_limit_8(context, 2_000)
        _ = unsafe pcre2_set_heap_limit_8(context, 8_192)
        let count = unsafe pcre2_match_8(code, bytes, bytes.count, 0, 0, data, context)
        guard count > 0, let offsets = unsafe pcre2_get_ovector_pointer_8(data) else { return nil }
        let pairs = Int(unsafe pcre2_get_ovector_count_8(data))
        return (0..<pairs).map { index in
            guard index < Int(count) else { return nil }
            let start = unsafe Int(bitPattern: UInt(offsets[2 * index]))
            let end = unsafe Int(bitPattern: UInt(offsets[2 * index + 1]))
            guard start >= 0, end >= start, end <= bytes.count else { return nil }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
    }

    /// True when the pattern matches anywhere.
    func matches(_ subject: String) -> Bool { firstMatch(in: subject) != nil }
}
