// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// How a rendition is made: the ways to try, one after another, and what is lost whichever it becomes.
public struct LanePlan: Sendable, Equatable {
    /// One way to make a rendition.
    public enum Step: Sendable, Equatable {
        /// The very same file.
        case untouched
        /// The same pixels in a new file without metadata.
        case stripped
        /// A helper's work: turned coefficients where the job says so, else new pixels.
        case pixels(PixelJob)
    }

    /// The ways, cheapest first; a later one is for when an earlier one turns out not to fit.
    public var steps: [Step]
    /// What a helper's work loses.
    public var warnings: [Warning]

    /// Creates a plan.
    public init(_ steps: [Step], warnings: [Warning] = []) {
        self.steps = steps
        self.warnings = warnings
    }
}
