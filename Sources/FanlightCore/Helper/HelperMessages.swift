// SPDX-License-Identifier: Apache-2.0

/// What is asked of a helper process: one picture, whose descriptor comes with the message, and what to make of it.
public struct HelperRequest: Sendable, Equatable {
    /// Number that the answers repeat.
    public var id: Int
    /// The picture.
    public var source: PixelSource
    /// Files to make, at most ``mostJobs``.
    public var jobs: [PixelJob]

    /// Jobs of one request: the message stays far below what a socket takes at once.
    public static let mostJobs = 128
    /// Bytes of a message at most.
    public static let longest = 65_536

    /// Creates a request.
    public init(id: Int, source: PixelSource, jobs: [PixelJob]) {
        self.id = id
        self.source = source
        self.jobs = jobs
    }

    /// The message: one line for the picture, one for each job; fields are separated by tabs.
    public var text: String {
        ([["\(id)"] + source.fields] + jobs.map(\.fields)).map { $0.joined(separator: "\t") }.joined(separator: "\n")
    }

    /// Reads a message; `nil` when it is none.
    public init?(text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        guard let head = lines.first, let id = head.first.flatMap({ Int($0) }),
            let source = PixelSource(fields: head.dropFirst()), lines.count <= Self.mostJobs + 1
        else { return nil }
        let jobs = lines.dropFirst().compactMap { PixelJob(fields: $0) }
        guard jobs.count == lines.count - 1 else { return nil }
        self.init(id: id, source: source, jobs: jobs)
    }
}

/// What a helper process answers: one message a job, then ``end(decodes:)``.
public enum HelperAnswer: Sendable, Equatable {
    /// A file of so many bytes was made; its descriptor comes with the message.
    case made(job: Int, count: Int, isTurned: Bool, notes: PixelNotes)
    /// The file of an earlier job serves this one, too.
    case same(job: Int, as: Int)
    /// No file for this job.
    case refused(job: Int, ImageError)
    /// All jobs are answered; the picture was decoded so often.
    case end(decodes: Int)

    /// Bytes of the longest file that is taken from a helper.
    public static let longestFile = 512 << 20

    /// The message.
    public func text(id: Int) -> String {
        let fields: [String] =
            switch self {
            case .made(let job, let count, let isTurned, let notes):
                ["made", "\(job)", "\(count)", isTurned ? "1" : "0", "\(notes.rawValue)"]
            case .same(let job, let other): ["same", "\(job)", "\(other)"]
            case .refused(let job, let error): ["refused", "\(job)"] + Self.fields(of: error)
            case .end(let decodes): ["end", "\(decodes)"]
            }
        return (["\(id)"] + fields).joined(separator: "\t")
    }

    /// Reads a message; `nil` when it is none or not for this request.
    public init?(text: String, id: Int) {
        let fields = text.split(separator: "\t", maxSplits: 5, omittingEmptySubsequences: false)
        guard fields.count >= 3, Int(fields[0]) == id, let first = Int(fields[2]), first >= 0 else { return nil }
        switch (fields[1], fields.count) {
        case ("made", 6):
            guard let count = Int(fields[3]), count > 0, count <= Self.longestFile, let notes = UInt8(fields[5]) else {
                return nil
            }
            self = .made(job: first, count: count, isTurned: fields[4] == "1", notes: PixelNotes(rawValue: notes))
        case ("same", 4):
            guard let other = Int(fields[3]), other >= 0 else { return nil }
            self = .same(job: first, as: other)
        case ("refused", 4...): self = .refused(job: first, Self.error(fields[3], fields.dropFirst(4)))
        case ("end", 3): self = .end(decodes: first)
        default: return nil
        }
    }

    private static func fields(of error: ImageError) -> [String] {
        func plain(_ text: String) -> String { String(text.prefix(400).map { $0.isNewline || $0 == "\t" ? " " : $0 }) }
        switch error {
        case .truncated: return ["truncated"]
        case .corrupt(let message): return ["corrupt", plain(message)]
        case .noRendition(let message): return ["no_rendition", plain(message)]
        case .processingFailed(let message): return ["failed", plain(message)]
        default: return ["failed", "unexpected"]
        }
    }

    private static func error(_ kind: Substring, _ rest: ArraySlice<Substring>) -> ImageError {
        let message = rest.joined(separator: " ")
        switch kind {
        case "truncated": return .truncated
        case "corrupt": return .corrupt(message)
        case "no_rendition": return .noRendition(message)
        default: return .processingFailed(message)
        }
    }
}

/// What was noticed while pixels were made.
public struct PixelNotes: OptionSet, Sendable, Hashable {
    /// Bits.
    public var rawValue: UInt8

    /// Takes the bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The colour profile was for other colours than the picture's and was left out.
    public static let profileUnfit = PixelNotes(rawValue: 1)
    /// The colour profile could not be used and was left out.
    public static let profileBroken = PixelNotes(rawValue: 2)
    /// Only the first frame is left of an animation.
    public static let animationLost = PixelNotes(rawValue: 4)
    /// The picture's light goes far beyond white and was taken for ordinary light.
    public static let lightFlattened = PixelNotes(rawValue: 8)
}
