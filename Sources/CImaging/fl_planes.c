// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "fl_imaging.h"

enum { TILE = 32 };

void fl_turn(const unsigned char *source, size_t source_stride, int width, int height, unsigned char *target,
    size_t target_stride, int orientation) {
    bool swaps = orientation >= 5;
    // What is read from the right, and what from below, in the source's own directions.
    bool flips_across = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool flips_down = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    if (!swaps) {
        for (int y = 0; y < height; y++) {
            const unsigned char *from = source + (size_t) (flips_down ? height - 1 - y : y) * source_stride;
            unsigned char *to = target + (size_t) y * target_stride;
            if (!flips_across) {
                memcpy(to, from, (size_t) width);
                continue;
            }
            for (int x = 0; x < width; x++) to[x] = from[width - 1 - x];
        }
        return;
    }
    // Tiles, so that neither side misses the cache with every sample.
    for (int top = 0; top < height; top += TILE) {
        int bottom = top + TILE < height ? top + TILE : height;
        for (int left = 0; left < width; left += TILE) {
            int right = left + TILE < width ? left + TILE : width;
            for (int x = left; x < right; x++) {
                int column = flips_across ? width - 1 - x : x;
                unsigned char *to = target + (size_t) column * target_stride;
                const unsigned char *from = source + x;
                if (flips_down)
                    for (int y = top; y < bottom; y++) to[height - 1 - y] = from[(size_t) y * source_stride];
                else
                    for (int y = top; y < bottom; y++) to[y] = from[(size_t) y * source_stride];
            }
        }
    }
}

void fl_pad(unsigned char *plane, size_t stride, int width, int height, int padded_width, int padded_height) {
    for (int y = 0; y < height; y++) {
        unsigned char *row = plane + (size_t) y * stride;
        memset(row + width, row[width - 1], (size_t) (padded_width - width));
    }
    for (int y = height; y < padded_height; y++)
        memcpy(plane + (size_t) y * stride, plane + (size_t) (height - 1) * stride, (size_t) padded_width);
}
