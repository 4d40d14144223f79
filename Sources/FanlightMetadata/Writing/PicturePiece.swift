// SPDX-License-Identifier: Apache-2.0

/// A part of a rewritten picture.
public enum PicturePiece: Sendable, Equatable {
    /// New bytes.
    case bytes([UInt8])
    /// Bytes of the source, from one place to another.
    case range(Range<Int>)
}

/// Parts in order; neighbours that belong together are one.
struct PieceList {
    /// Parts of the source that are shorter are copied, lest a file of many small segments become a long list.
    private static let shortest = 4_096

    private var whole: [PicturePiece] = []
    /// New bytes that may still grow, so that a million small parts cost no more than their bytes.
    private var last: [UInt8] = []

    init(_ bytes: [UInt8] = []) { append(bytes) }

    var pieces: [PicturePiece] { last.isEmpty ? whole : whole + [.bytes(last)] }

    mutating func append(_ bytes: [UInt8]) { last += bytes }

    /// Adds a part of the source.
    mutating func append(_ window: ByteWindow) {
        let place = window.place
        if last.isEmpty, case .range(let before) = whole.last, before.upperBound == place.lowerBound {
            whole[whole.count - 1] = .range(before.lowerBound..<place.upperBound)
        } else if place.count < Self.shortest {
            last += window.slice
        } else {
            append(.range(place))
        }
    }

    private mutating func append(_ piece: PicturePiece) {
        if !last.isEmpty { whole.append(.bytes(last)) }
        last = []
        whole.append(piece)
    }

    func joined(with other: PieceList) -> PieceList {
        var all = self
        for piece in other.pieces {
            if case .bytes(let bytes) = piece { all.append(bytes) } else { all.append(piece) }
        }
        return all
    }

    /// The whole new file.
    static func bytes(_ pieces: [PicturePiece], of source: PictureBytes) -> [UInt8] {
        if case .bytes(let only) = pieces.first, pieces.count == 1 { return only }
        var result: [UInt8] = []
        result.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): result += bytes
            case .range(let range): result += source[range]
            }
        }
        return result
    }
}

extension PicturePiece {
    /// Bytes of the part.
    public var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .range(let range): range.count
        }
    }
}
