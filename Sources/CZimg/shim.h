// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <zimg.h>

// Macros with arguments do not come over to Swift.
static const unsigned fl_zimg_version = ZIMG_API_VERSION;

// Runs a graph over one plane: the arrays of unnamed structures in zimg's buffers do not come over to Swift.
static inline zimg_error_code_e fl_zimg_process(const zimg_filter_graph *_Nonnull graph, const void *_Nonnull source,
    ptrdiff_t source_stride, void *_Nonnull target, ptrdiff_t target_stride, void *_Nonnull scratch) {
    zimg_image_buffer_const from = {ZIMG_API_VERSION};
    zimg_image_buffer to = {ZIMG_API_VERSION};
    from.plane[0].data = source;
    from.plane[0].stride = source_stride;
    from.plane[0].mask = ZIMG_BUFFER_MAX;
    to.plane[0].data = target;
    to.plane[0].stride = target_stride;
    to.plane[0].mask = ZIMG_BUFFER_MAX;
    return zimg_filter_graph_process(graph, &from, &to, scratch, 0, 0, 0, 0);
}
