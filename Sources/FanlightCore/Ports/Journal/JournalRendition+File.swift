// SPDX-License-Identifier: Apache-2.0

extension JournalRendition {
    /// The entry of a rendition that was made.
    ///
    /// - Parameter sha256: of the rendition's bytes, where somebody computed it.
    public init(_ rendition: Rendition, sha256: String? = nil) {
        let file = rendition.file
        self.init(
            file: file.name,
            bytes: file.size,
            part: file.isPart ? Part(head: file.head, start: file.start, storedBytes: file.storedSize) : nil,
            mediaType: rendition.mediaType,
            width: rendition.width,
            height: rendition.height,
            lane: rendition.lane,
            sha256: sha256 ?? file.sha256
        )
    }

    /// Size of the file of which the rendition may be a part.
    public var storedBytes: Int { part?.storedBytes ?? bytes }

    /// The rendition's bytes, given the whole of its file.
    ///
    /// - Returns: `nil` when the file is too short for it.
    public func rendition(of whole: SpooledFile) -> SpooledFile? {
        guard let part else { return whole.size == bytes ? whole : nil }
        let end = part.start + bytes - part.head.count
        guard part.start >= 0, part.start <= end, end <= whole.size else { return nil }
        return SpooledFile(head: part.head, range: part.start..<end, of: whole)
    }

    /// Opens the rendition in a spool; `nil` when the picture is gone.
    public func open(in spool: any Spool) throws(DescriptorShortage) -> SpooledFile? {
        guard let file, let whole = try spool.reopen(file, size: storedBytes) else { return nil }
        return rendition(of: whole)
    }
}
