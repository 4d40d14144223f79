// SPDX-License-Identifier: Apache-2.0

import CZimg
import Synchronization

/// Scales single planes with a Lanczos filter of three lobes.
enum PlaneScaler {
    /// One direction of a plane.
    struct Axis: Equatable {
        /// Samples that hold picture.
        var sourceCount: Int
        /// Samples to make.
        var targetCount: Int
        /// Where the first new sample begins, in source samples; may lie a little outside.
        var start: Double
        /// Source samples that the new ones stand for together; may reach a little beyond the last.
        var extent: Double

        /// True where every sample stays what it is.
        var isIdentity: Bool { sourceCount == targetCount && start == 0 && extent == Double(sourceCount) }
    }

    /// What a graph is made for.
    struct Shape: Equatable {
        var across: Axis
        var down: Axis
    }

    /// Scales (C: zimg_filter_graph_build, zimg_filter_graph_process).
    static func scale(_ source: Plane, into target: Plane, across: Axis, down: Axis) throws(CodecError) {
        guard let graph = graph(Shape(across: across, down: down)), graph.scale(source, into: target) else {
            throw failure()
        }
    }

    private static func graph(_ shape: Shape) -> ScalingGraph? {
        graphs.withLock { known in
            let graph: ScalingGraph
            if let place = known.firstIndex(where: { $0.shape == shape }) {
                graph = known.remove(at: place)
            } else {
                guard let made = ScalingGraph(shape) else { return nil }
                graph = made
            }
            known.append(graph)
            if known.count > mostGraphs { known.removeFirst() }
            return graph
        }
    }

    /// Graphs of the last shapes, the latest at the end: pictures of one camera have one shape, and working out a
    /// filter takes a twentieth of the time of the whole picture.
    private static let graphs = Mutex<[ScalingGraph]>([])
    /// A picture of one set of constraints takes two.
    private static let mostGraphs = 8

    private static func failure() -> CodecError {
        let message = unsafe String(unsafeUninitializedCapacity: 200) { buffer in
            // SAFETY: the library writes at most the buffer's size and ends the text by NUL.
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return 0 }
                _ = unsafe zimg_get_last_error(start, characters.count)
                return unsafe characters.firstIndex(of: 0) ?? 0
            }
        }
        zimg_clear_last_error()
        return .failed("scaling: " + message)
    }
}
