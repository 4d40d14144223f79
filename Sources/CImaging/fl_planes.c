// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "fl_imaging.h"

enum { TILE = 16, BAND = 64 };

typedef unsigned char row16 __attribute__((vector_size(TILE)));

// A turn that exchanges the sides: which of the source's directions are read backwards.
typedef struct {
    const unsigned char *source;
    size_t source_stride;
    int width, height;
    unsigned char *target;
    size_t target_stride;
    bool flips_across, flips_down;
} exchange;

static inline const unsigned char *source_row(const exchange *self, int x) {
    return self->source + (size_t) (self->flips_down ? self->height - 1 - x : x) * self->source_stride;
}

static inline unsigned char *target_row(const exchange *self, int column) {
    return self->target + (size_t) (self->flips_across ? self->width - 1 - column : column) * self->target_stride;
}

// Four times interleaving a row with the one eight below exchanges rows and columns.
static inline void transpose(row16 rows[TILE]) {
    row16 next[TILE];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < TILE / 2; i++) {
            row16 a = rows[i], b = rows[i + TILE / 2];
            next[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            next[2 * i + 1] =
                __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
        memcpy(rows, next, sizeof next);
    }
}

// x counts the target's columns, `column` the source's.
static inline void exchange_tile(const exchange *self, int x, int column) {
    row16 rows[TILE];
    for (int i = 0; i < TILE; i++) memcpy(&rows[i], source_row(self, x + i) + column, TILE);
    transpose(rows);
    for (int i = 0; i < TILE; i++) memcpy(target_row(self, column + i) + x, &rows[i], TILE);
}

static void exchange_samples(const exchange *self, int x, int end_x, int column, int end_column) {
    for (int c = column; c < end_column; c++)
        for (int i = x; i < end_x; i++) target_row(self, c)[i] = source_row(self, i)[c];
}

// In bands, so that what is written next to each other is still at hand.
static void exchange_sides(const exchange *self) {
    int whole_x = self->height - self->height % TILE, whole_columns = self->width - self->width % TILE;
    for (int band = 0; band < whole_x; band += BAND) {
        int end = band + BAND < whole_x ? band + BAND : whole_x;
        for (int column = 0; column < whole_columns; column += TILE)
            for (int x = band; x < end; x += TILE) exchange_tile(self, x, column);
    }
    exchange_samples(self, whole_x, self->height, 0, self->width);
    exchange_samples(self, 0, whole_x, whole_columns, self->width);
}

static void mirror(const unsigned char *source, size_t source_stride, int width, int height, unsigned char *target,
    size_t target_stride, bool flips_across, bool flips_down) {
    for (int y = 0; y < height; y++) {
        const unsigned char *from = source + (size_t) (flips_down ? height - 1 - y : y) * source_stride;
        unsigned char *to = target + (size_t) y * target_stride;
        if (!flips_across) {
            memcpy(to, from, (size_t) width);
            continue;
        }
        for (int x = 0; x < width; x++) to[x] = from[width - 1 - x];
    }
}

void fl_turn(const unsigned char *source, size_t source_stride, int width, int height, unsigned char *target,
    size_t target_stride, int orientation) {
    // What is read from the right, and what from below, in the source's own directions.
    bool flips_across = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool flips_down = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    if (orientation < 5) {
        mirror(source, source_stride, width, height, target, target_stride, flips_across, flips_down);
        return;
    }
    const exchange turn = {source, source_stride, width, height, target, target_stride, flips_across, flips_down};
    exchange_sides(&turn);
}

void fl_pad(unsigned char *plane, size_t stride, int width, int height, int padded_width, int padded_height) {
    for (int y = 0; y < height; y++) {
        unsigned char *row = plane + (size_t) y * stride;
        memset(row + width, row[width - 1], (size_t) (padded_width - width));
    }
    for (int y = height; y < padded_height; y++)
        memcpy(plane + (size_t) y * stride, plane + (size_t) (height - 1) * stride, (size_t) padded_width);
}
