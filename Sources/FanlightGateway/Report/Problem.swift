// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// A refused request, told as `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable, Equatable {
    /// Stable names of the reasons; part of the API.
    public enum Code: String, Sendable, CaseIterable {
        case unauthorized, malformed, noPicture = "no_picture", notFound = "not_found", methodNotAllowed =
            "method_not_allowed",
            tooLarge = "too_large", unsupportedType = "unsupported_type", damagedPicture = "damaged_picture",
            tooManyPixels = "too_many_pixels", tooManyFrames = "too_many_frames", unknownService = "unknown_service",
            badField = "bad_field", processingFailed = "processing_failed", idempotencyKeyReused =
            "idempotency_key_reused",
            nothingToRetry = "nothing_to_retry", pictureGone = "picture_gone", uploadPending = "upload_pending",
            journalUnavailable = "journal_unavailable", stopping, unavailable, notReady = "not_ready",
            serviceNotAllowed = "service_not_allowed", rateLimited = "rate_limited", quotaExceeded = "quota_exceeded",
            overloaded

        /// HTTP status of the answer.
        public var status: Int {
            switch self {
            case .malformed, .noPicture: 400
            case .notFound: 404
            case .unauthorized: 401
            case .serviceNotAllowed: 403
            case .rateLimited, .quotaExceeded: 429
            case .methodNotAllowed: 405
            case .tooLarge: 413
            case .unsupportedType: 415
            case .damagedPicture, .tooManyPixels, .tooManyFrames, .unknownService, .badField, .processingFailed: 422
            case .idempotencyKeyReused, .nothingToRetry, .pictureGone, .uploadPending: 409
            case .unavailable, .journalUnavailable, .stopping, .notReady, .overloaded: 503
            }
        }
    }

    /// Reason.
    public var code: Code
    /// One sentence that says what to do.
    public var detail: String
    /// Name of the field at fault, if one is.
    public var field: String?
    /// Methods that the path takes, where the method is at fault (RFC 9110, 15.5.6).
    public var allow: String?
    /// Seconds after which another try makes sense, where that is known; 503 has a usual value.
    public var retryAfter: Int?

    /// One of several reasons.
    public struct Reason: Sendable, Equatable {
        /// Stable name.
        public var code: String
        /// One sentence.
        public var detail: String
    }
    /// Several reasons at the same time, where a program may want to tell them apart.
    public var reasons: [Reason] = []

    /// Creates a problem.
    public init(_ code: Code, _ detail: String, field: String? = nil) {
        self.code = code
        self.detail = detail
        self.field = field
    }

    /// Turns a picture's error into the answer for the client.
    public init(_ error: ImageError) {
        switch error {
        case .empty:
            self.init(.damagedPicture, "The picture has no bytes.")
        case .unsupportedType(let found):
            let what = found.map { " (this looks like \($0))" } ?? ""
            self.init(.unsupportedType, "Send a JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC or AVIF picture\(what).")
        case .tooManyPixels(let width, let height, let limit):
            self.init(.tooManyPixels, "The picture declares \(width)x\(height) pixels; at most \(limit) are taken.")
        case .tooManyFrames(let count, let limit):
            self.init(.tooManyFrames, "The picture declares \(count) frames; at most \(limit) are taken.")
        case .truncated:
            self.init(.damagedPicture, "The picture ends before its data does. Send the whole file.")
        case .corrupt(let why):
            self.init(.damagedPicture, "The picture is damaged: \(why).")
        case .noRendition(let why), .processingFailed(let why):
            self.init(.processingFailed, "The picture cannot be prepared: \(why).")
        case .unavailable(let why):
            self.init(.unavailable, "The picture cannot be prepared now: \(why). Try again later.")
        }
    }

    /// The answer with its body.
    public var answer: HTTPAnswer {
        var members: [JSONValue.Member] = [
            .init("type", .string("https://fanlight.invalid/problems/\(code.rawValue)")),
            .init("title", .string(code.rawValue.split(separator: "_").joined(separator: " "))),
            .init("status", .number(String(code.status))),
            .init("code", .string(code.rawValue)),
            .init("detail", .string(detail)),
        ]
        if let field { members.append(.init("field", .string(field))) }
        if !reasons.isEmpty {
            let list = reasons.map { reason in
                JSONValue.object([.init("code", .string(reason.code)), .init("detail", .string(reason.detail))])
            }
            members.append(.init("reasons", .array(list)))
        }
        var headers = [HTTPField("Content-Type", "application/problem+json")]
        if code == .unauthorized { headers.append(HTTPField("WWW-Authenticate", "Bearer")) }
        if let allow { headers.append(HTTPField("Allow", allow)) }
        if let seconds = retryAfter ?? (code.status == 503 ? 5 : nil) {
            headers.append(HTTPField("Retry-After", String(seconds)))
        }
        return HTTPAnswer(
            status: code.status,
            headers: headers,
            body: .bytes(Array(JSONValue.object(members).serialized().utf8))
        )
    }
}
