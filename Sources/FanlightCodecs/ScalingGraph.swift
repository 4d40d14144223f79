// SPDX-License-Identifier: Apache-2.0

import CZimg

/// A filter for planes of one shape, worked out once and used for any number of them.
///
/// Unchecked: nothing changes after the start, and the library lets any number of threads use a graph, each with scratch
/// memory of its own.
@safe
final class ScalingGraph: @unchecked Sendable {
    let shape: PlaneScaler.Shape
    private let graph: OpaquePointer
    private let scratchSize: Int

    /// Works the filter out (C: zimg_filter_graph_build); `nil` when the library refuses, and then it has a message.
    init?(_ shape: PlaneScaler.Shape) {
        var from = zimg_image_format()
        unsafe zimg_image_format_default(&from, fl_zimg_version)
        from.pixel_type = ZIMG_PIXEL_BYTE
        from.color_family = ZIMG_COLOR_GREY
        from.pixel_range = ZIMG_RANGE_FULL
        var to = from
        from.width = UInt32(shape.across.sourceCount)
        from.height = UInt32(shape.down.sourceCount)
        from.active_region.left = shape.across.start
        from.active_region.width = shape.across.extent
        from.active_region.top = shape.down.start
        from.active_region.height = shape.down.extent
        to.width = UInt32(shape.across.targetCount)
        to.height = UInt32(shape.down.targetCount)

        var parameters = zimg_graph_builder_params()
        unsafe zimg_graph_builder_params_default(&parameters, fl_zimg_version)
        parameters.resample_filter = ZIMG_RESIZE_LANCZOS
        parameters.filter_param_a = 3
        parameters.resample_filter_uv = ZIMG_RESIZE_LANCZOS
        parameters.dither_type = ZIMG_DITHER_NONE
        parameters.cpu_type = ZIMG_CPU_AUTO_64B
        // SAFETY: formats and parameters outlive the call; the graph is freed with this object.
        guard let graph = unsafe zimg_filter_graph_build(&from, &to, &parameters) else { return nil }
        var size = 0
        guard unsafe zimg_filter_graph_get_tmp_size(graph, &size) == ZIMG_ERROR_SUCCESS else {
            unsafe zimg_filter_graph_free(graph)
            return nil
        }
        self.shape = shape
        unsafe self.graph = unsafe graph
        scratchSize = max(size, 64)
    }

    deinit {
        // SAFETY: this object's own, and not used after this.
        unsafe zimg_filter_graph_free(graph)
    }

    /// Scales one plane (C: zimg_filter_graph_process); false when the library fails.
    func scale(_ source: Plane, into target: Plane) -> Bool {
        let scratch = PlaneMemory.take(scratchSize)
        defer { PlaneMemory.giveBack(scratch) }
        // SAFETY: both planes hold the samples that the shape names, the scratch memory is as large as the library wants it
        // and used by no one else, and all outlive the call.
        let status = unsafe fl_zimg_process(
            graph,
            source.samples,
            source.stride,
            target.samples,
            target.stride,
            scratch.start
        )
        return status == ZIMG_ERROR_SUCCESS
    }
}
