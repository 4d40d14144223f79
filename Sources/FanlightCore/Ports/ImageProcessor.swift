// SPDX-License-Identifier: Apache-2.0

/// Makes renditions.
public protocol ImageProcessor: Sendable {
    /// Prepares a picture for several sets of constraints, in a helper process where pixels must be touched.
    ///
    /// The picture is decoded once for all sets that need its pixels; sets that turn out to give the same file share it.
    ///
    /// - Parameters:
    ///   - source: The upload's bytes; `facts` were read from them.
    ///   - constraints: Distinct sets.
    /// - Returns: One result a set, in the order of the sets; ``ImageError/noRendition(_:)`` concerns that set alone,
    ///   every other error the picture.
    func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: [RenditionConstraints]
    ) async -> [Result<Rendition, ImageError>]
}

extension ImageProcessor {
    /// Prepares a picture for one set of constraints.
    public func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: RenditionConstraints
    ) async throws(ImageError) -> Rendition {
        let made = await prepare(source, facts: facts, constraints: [constraints])
        guard let result = made.first else { throw .processingFailed("no rendition was made") }
        return try result.get()
    }
}
