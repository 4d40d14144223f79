// SPDX-License-Identifier: Apache-2.0
// A separable Lanczos resampler for the planes of a JPEG. The inner loops are plain C that the compiler turns into
// vector instructions: 16-bit products with their high half kept, and dot products of 16 samples.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "fl_imaging.h"

enum { LANES = 16, ROWS = 16, FRACTION = 14, KEPT = 5 };

// What each target sample takes from the source: `taps` weights from `start` on; their sum is 1 << FRACTION.
typedef struct {
    int taps;
    int *start;
    int16_t *weights;
} contributions;

static double lanczos(double x) {
    if (x < 0) x = -x;
    if (x < 1e-9) return 1;
    if (x >= 3) return 0;
    double turn = M_PI * x;
    return 3 * sin(turn) * sin(turn / 3) / (turn * turn);
}

static void forget(contributions *all) {
    free(all->start);
    free(all->weights);
}

static bool contribute(const fl_axis *axis, contributions *all) {
    double scale = axis->scale < 1 ? 1 : axis->scale, radius = 3 * scale;
    int span = (int) ceil(2 * radius) + 1;
    all->taps = (span + LANES - 1) / LANES * LANES;
    all->start = calloc((size_t) axis->target_count, sizeof(int));
    all->weights = calloc((size_t) axis->target_count * (size_t) all->taps, sizeof(int16_t));
    double *exact = calloc((size_t) all->taps, sizeof(double));
    if (all->start == NULL || all->weights == NULL || exact == NULL) {
        free(exact);
        forget(all);
        return false;
    }
    for (int i = 0; i < axis->target_count; i++) {
        double centre = (i + 0.5) * axis->scale;
        if (axis->flip) centre = axis->length - centre;
        int last = axis->source_count - 1;
        int low = (int) floor(centre - radius), start = low < 0 ? 0 : low > last ? last : low;
        double sum = 0;
        memset(exact, 0, (size_t) all->taps * sizeof(double));
        for (int j = low; j < low + span; j++) {
            double weight = lanczos((j + 0.5 - centre) / scale);
            int from = j < 0 ? 0 : j > last ? last : j;
            exact[from - start] += weight;
            sum += weight;
        }
        int16_t *weights = all->weights + (size_t) i * (size_t) all->taps;
        int left = 1 << FRACTION, largest = 0;
        for (int j = 0; j < all->taps; j++) {
            weights[j] = (int16_t) lrint(exact[j] / sum * (1 << FRACTION));
            left -= weights[j];
            if (weights[j] > weights[largest]) largest = j;
        }
        weights[largest] = (int16_t) (weights[largest] + left);
        all->start[i] = start;
    }
    free(exact);
    return true;
}

// Adds the high halves of 32 products.
static inline void add_products(int16_t sum[32], const uint8_t *from, int16_t weight) {
#ifdef __SSE2__
    // The compiler does not find the instruction for the high half by itself.
    const __m128i factor = _mm_set1_epi16(weight), zero = _mm_setzero_si128();
    for (int i = 0; i < 32; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *) (from + i));
        __m128i low = _mm_mulhi_epi16(_mm_srli_epi16(_mm_unpacklo_epi8(zero, bytes), 1), factor);
        __m128i high = _mm_mulhi_epi16(_mm_srli_epi16(_mm_unpackhi_epi8(zero, bytes), 1), factor);
        __m128i *to = (__m128i *) (sum + i);
        _mm_storeu_si128(to, _mm_add_epi16(_mm_loadu_si128(to), low));
        _mm_storeu_si128(to + 1, _mm_add_epi16(_mm_loadu_si128(to + 1), high));
    }
#else
    for (int i = 0; i < 32; i++)
        sum[i] = (int16_t) (sum[i] + (int16_t) (((int32_t) (int16_t) (from[i] << 7) * weight) >> 16));
#endif
}

// One row between the passes: the samples times 1 << KEPT.
static void blend_rows(const uint8_t *source, int stride, int count, int height, const contributions *down, int row,
    int16_t *restrict out) {
    const int16_t *weights = down->weights + (size_t) row * (size_t) down->taps;
    int start = down->start[row], taps = down->taps;
    while (taps > 1 && weights[taps - 1] == 0) taps--;
    if (taps > height - start) taps = height - start;
    int x = 0;
    for (; x + 32 <= count; x += 32) {
        // Each product loses half a unit on average.
        int16_t sum[32];
        for (int i = 0; i < 32; i++) sum[i] = (int16_t) (taps / 2);
        for (int j = 0; j < taps; j++)
            add_products(sum, source + (size_t) (start + j) * (size_t) stride + x, weights[j]);
        memcpy(out + x, sum, sizeof sum);
    }
    for (; x < count; x++) {
        int sum = taps / 2;
        for (int j = 0; j < taps; j++)
            sum += ((source[(size_t) (start + j) * (size_t) stride + x] << 7) * weights[j]) >> 16;
        out[x] = (int16_t) sum;
    }
}

static void blend_columns(const int16_t *restrict row, const contributions *across, int count, uint8_t *restrict out) {
    int taps = across->taps;
    for (int x = 0; x < count; x++) {
        const int16_t *from = row + across->start[x], *weights = across->weights + (size_t) x * (size_t) taps;
        int32_t sum = 1 << (FRACTION + KEPT - 1);
        for (int j = 0; j < taps; j += LANES) {
            int32_t part = 0;
            for (int i = 0; i < LANES; i++) part += (int32_t) from[j + i] * (int32_t) weights[j + i];
            sum += part;
        }
        sum >>= FRACTION + KEPT;
        out[x] = (uint8_t) (sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
}

bool fl_resample(const unsigned char *source, int source_stride, unsigned char *target, int target_stride,
    fl_axis across, fl_axis down, bool transpose) {
    contributions columns = {0}, rows = {0};
    if (!contribute(&across, &columns)) return false;
    if (!contribute(&down, &rows)) {
        forget(&columns);
        return false;
    }
    int width = across.target_count, height = down.target_count;
    // The last dot products reach beyond the row; what they find there has no weight.
    int16_t *row = calloc((size_t) across.source_count + (size_t) columns.taps, sizeof(int16_t));
    uint8_t *block = transpose ? malloc((size_t) width * ROWS) : NULL;
    bool done = row != NULL && (block != NULL || !transpose);
    for (int y = 0; done && y < height; y++) {
        blend_rows(source, source_stride, across.source_count, down.source_count, &rows, y, row);
        if (!transpose) {
            blend_columns(row, &columns, width, target + (size_t) y * (size_t) target_stride);
            continue;
        }
        blend_columns(row, &columns, width, block + (size_t) (y % ROWS) * (size_t) width);
        int filled = y % ROWS + 1;
        if (filled < ROWS && y + 1 < height) continue;
        for (int x = 0; x < width; x++) {
            uint8_t *to = target + (size_t) x * (size_t) target_stride + (y + 1 - filled);
            for (int i = 0; i < filled; i++) to[i] = block[(size_t) i * (size_t) width + x];
        }
    }
    free(block);
    free(row);
    forget(&rows);
    forget(&columns);
    return done;
}
