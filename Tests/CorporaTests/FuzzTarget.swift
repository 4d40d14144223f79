// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightMetadata
import FanlightMultipart

/// A reader of strangers' bytes, and what must hold whatever it is given.
///
/// The fuzzer and the tests run the same code: what the fuzzer finds becomes a file below `Tests/Corpora/NAME`, which
/// every run of the tests reads again.
enum FuzzTarget: String, CaseIterable, Sendable {
    case jpeg, png, gif, webp, tiff, bmp, heif, exif, xmp, iptc, multipart, yaml, json
    case template, jsonpath, reply

    /// Runs the reader.
    ///
    /// - Returns: Which promise is broken, else `nil`. A crash or a hang is a finding by itself.
    func run(_ bytes: [UInt8]) -> String? {
        switch self {
        case .jpeg, .gif, .webp, .tiff, .bmp, .heif: Self.picture(bytes)
        case .png: Self.picture(FuzzPicture.withChecksums(bytes))
        case .exif: Self.picture(FuzzPicture.jpeg(marker: 0xE1, name: "Exif\u{0}\u{0}", bytes))
        case .xmp: Self.picture(FuzzPicture.jpeg(marker: 0xE1, name: "http://ns.adobe.com/xap/1.0/\u{0}", bytes))
        case .iptc: Self.picture(FuzzPicture.jpeg(marker: 0xED, name: "Photoshop 3.0\u{0}", bytes))
        case .multipart: Self.form(bytes)
        case .yaml: Self.document(bytes)
        case .json: Self.json(bytes)
        case .template: FuzzTemplate.run(bytes)
        case .jsonpath: FuzzPath.run(bytes)
        case .reply: FuzzReply.run(bytes)
        }
    }

    private static let limits: ImageLimits = {
        var limits = ImageLimits()
        limits.maxPixels = 1_000_000
        limits.maxFrames = 50
        limits.maxTotalPixels = 10_000_000
        return limits
    }()

    /// A picture is refused, or can be rewritten by every policy into one of the same size without a position.
    private static func picture(_ bytes: [UInt8]) -> String? {
        _ = try? JPEGHeader.inspect(bytes)
        guard let facts = try? ImageReader.read(bytes, limits: limits) else { return nil }
        if facts.width < 1 || facts.height < 1 || facts.width * facts.height > limits.maxPixels { return "limits" }
        if facts.frames < 1 || facts.frames > limits.maxFrames { return "frames" }
        for policy in MetadataPolicy.allCases {
            let source = RetainedMetadata(of: bytes, policy: policy)
            guard let made = try? MetadataWriter.rewrite(bytes, source: source) else { continue }
            if let broken = broken(made, facts, policy) { return "\(policy.rawValue): \(broken)" }
            if made.count > bytes.count + (source?.insertedCount ?? 0) + 64 { return "\(policy.rawValue): grows" }
            let again = try? MetadataWriter.rewrite(made, source: RetainedMetadata(of: made, policy: policy))
            if policy != .keep, again != made { return "\(policy.rawValue): a second rewriting changes it" }
        }
        return nil
    }

    private static func broken(_ made: [UInt8], _ before: ImageFacts, _ policy: MetadataPolicy) -> String? {
        guard let after = try? ImageReader.read(made, limits: limits) else { return "not readable" }
        if after.width != before.width || after.height != before.height { return "another size" }
        if after.frames != before.frames { return "another count of frames" }
        if after.orientation != .upright { return "not upright" }
        if policy == .keep { return nil }
        if after.geotag != nil || after.fix != PositionFix() { return "a position" }
        if !after.companions.isEmpty { return "a companion" }
        if policy != .stripGPS, after.takenAt != nil || after.cameraMake != nil { return "a date or a camera" }
        return nil
    }

    /// A form gives the same events whether its bytes come at once or one by one.
    private static func form(_ bytes: [UInt8]) -> String? {
        let whole = events(bytes, piece: max(1, bytes.count))
        return whole == events(bytes, piece: 1) ? nil : "other events byte by byte"
    }

    /// Kinds of events, those of data that follow each other as one.
    private static func events(_ bytes: [UInt8], piece: Int) -> [String] {
        var parser = MultipartParser(boundary: Array("b".utf8))
        var found: [String] = []
        var offset = 0
        while let event = try? parser.next() {
            switch event {
            case .needMoreData where offset >= bytes.count: parser.finishInput()
            case .needMoreData:
                let end = min(bytes.count, offset + piece)
                parser.append(Array(bytes[offset..<end]))
                offset = end
            case .data(let part):
                if found.last?.hasPrefix("data ") != true { found.append("data 0") }
                let count = found.last.flatMap { Int($0.dropFirst(5)) } ?? 0
                found[found.count - 1] = "data \(count + part.count)"
            case .partBegan(let head): found.append("part \(head.name) \(head.filename ?? "-")")
            case .partEnded: found.append("end")
            case .finished: return found + ["finished"]
            }
        }
        return found + ["error"]
    }

    private static func document(_ bytes: [UInt8]) -> String? {
        let result = YAMLReader.read(bytes, file: "fuzz.yaml")
        return result.root == nil && result.diagnostics.isEmpty ? "nothing read and nothing found" : nil
    }

    /// What is read is written and read again as the same.
    private static func json(_ bytes: [UInt8]) -> String? {
        guard let value = try? JSONParser.parse(bytes) else { return nil }
        let again = try? JSONParser.parse(Array(value.serialized().utf8))
        return again == value ? nil : "another value after writing"
    }
}
