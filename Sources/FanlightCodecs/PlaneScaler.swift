// SPDX-License-Identifier: Apache-2.0

import CZimg

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

    /// Scales (C: zimg_filter_graph_build, zimg_filter_graph_process).
    static func scale(_ source: Plane, into target: Plane, across: Axis, down: Axis) throws(CodecError) {
        var from = zimg_image_format()
        unsafe zimg_image_format_default(&from, fl_zimg_version)
        from.pixel_type = ZIMG_PIXEL_BYTE
        from.color_family = ZIMG_COLOR_GREY
        from.pixel_range = ZIMG_RANGE_FULL
        var to = from
        from.width = UInt32(across.sourceCount)
        from.height = UInt32(down.sourceCount)
        from.active_region.left = across.start
        from.active_region.width = across.extent
        from.active_region.top = down.start
        from.active_region.height = down.extent
        to.width = UInt32(across.targetCount)
        to.height = UInt32(down.targetCount)

        var parameters = zimg_graph_builder_params()
        unsafe zimg_graph_builder_params_default(&parameters, fl_zimg_version)
        parameters.resample_filter = ZIMG_RESIZE_LANCZOS
        parameters.filter_param_a = 3
        parameters.resample_filter_uv = ZIMG_RESIZE_LANCZOS
        parameters.dither_type = ZIMG_DITHER_NONE
        parameters.cpu_type = ZIMG_CPU_AUTO_64B
        guard let graph = unsafe zimg_filter_graph_build(&from, &to, &parameters) else { throw failure() }
        // SAFETY: the graph is this function's own and not used after this.
        defer { unsafe zimg_filter_graph_free(graph) }

        var size = 0
        guard unsafe zimg_filter_graph_get_tmp_size(graph, &size) == ZIMG_ERROR_SUCCESS else { throw failure() }
        let scratch = UnsafeMutableRawPointer.allocate(byteCount: max(size, 64), alignment: Plane.alignment)
        // SAFETY: allocated above, used by no one else.
        defer { unsafe scratch.deallocate() }
        // SAFETY: both planes hold the samples that the formats name, and outlive the call.
        let status = unsafe fl_zimg_process(
            graph,
            source.samples,
            source.stride,
            target.samples,
            target.stride,
            scratch
        )
        guard status == ZIMG_ERROR_SUCCESS else { throw failure() }
    }

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
