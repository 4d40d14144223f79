// SPDX-License-Identifier: Apache-2.0
// Frames of an animation that libvips does not read or write by itself.
#include <string.h>
#include <vips/vips.h>

#include "fl_imaging.h"

fl_image *fl_animate(fl_image *in, int page_height, const int *delays, int count, int plays) {
    VipsImage *out = NULL;
    if (vips_copy(in, &out, NULL))
        return NULL;
    vips_image_set_int(out, VIPS_META_PAGE_HEIGHT, page_height);
    vips_image_set_int(out, VIPS_META_N_PAGES, count);
    vips_image_set_int(out, "loop", plays);
    vips_image_set_array_int(out, "delay", delays, count);
    return out;
}

int fl_frames(fl_image *in) { return in->Ysize / vips_image_get_page_height(in); }

void fl_delays(fl_image *in, int *delays, int count) {
    int *found = NULL, length = 0;
    if (vips_image_get_typeof(in, "delay") == 0 || vips_image_get_array_int(in, "delay", &found, &length))
        length = 0;
    for (int i = 0; i < count; i++) delays[i] = i < length ? found[i] : 100;
}

int fl_plays(fl_image *in) {
    int plays = 0;
    if (vips_image_get_typeof(in, "loop") == 0 || vips_image_get_int(in, "loop", &plays))
        return 0;
    return plays;
}

const void *fl_profile(fl_image *in, size_t *count) {
    const void *data = NULL;
    *count = 0;
    if (vips_image_get_typeof(in, VIPS_META_ICC_NAME) == 0 ||
        vips_image_get_blob(in, VIPS_META_ICC_NAME, &data, count))
        return NULL;
    return data;
}

fl_image *fl_frame(fl_image *in, int index) {
    int page = vips_image_get_page_height(in);
    VipsImage *crop = NULL, *out = NULL;
    if (vips_extract_area(in, &crop, 0, index * page, in->Xsize, page, NULL))
        return NULL;
    int failed = vips_copy(crop, &out, NULL);
    g_object_unref(crop);
    if (failed)
        return NULL;
    const char *const fields[] = {VIPS_META_PAGE_HEIGHT, VIPS_META_N_PAGES, "loop", "delay"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) vips_image_remove(out, fields[i]);
    return out;
}

void *fl_rgba(fl_image *in) {
    VipsImage *coloured = NULL, *opaque = NULL, *bytes = NULL;
    void *pixels = NULL;
    size_t size;
    if (vips_colourspace(in, &coloured, VIPS_INTERPRETATION_sRGB, NULL) == 0 &&
        (vips_image_hasalpha(coloured) ? vips_copy(coloured, &opaque, NULL) : vips_addalpha(coloured, &opaque, NULL)) ==
            0 &&
        vips_cast(opaque, &bytes, VIPS_FORMAT_UCHAR, NULL) == 0 && bytes->Bands == 4)
        pixels = vips_image_write_to_memory(bytes, &size);
    if (bytes != NULL) g_object_unref(bytes);
    if (opaque != NULL) g_object_unref(opaque);
    if (coloured != NULL) g_object_unref(coloured);
    return pixels;
}

// One pixel over another, neither premultiplied.
static void blend(unsigned char *under, const unsigned char *over) {
    unsigned top = over[3], below = under[3] * (255 - top) / 255, alpha = top + below;
    if (alpha == 0)
        return;
    for (int i = 0; i < 3; i++) under[i] = (unsigned char) ((over[i] * top + under[i] * below + alpha / 2) / alpha);
    under[3] = (unsigned char) alpha;
}

void fl_draw(unsigned char *canvas, int canvas_width, const unsigned char *source, int x, int y, int width, int height,
    bool over) {
    for (int row = 0; row < height; row++) {
        unsigned char *to = canvas + ((size_t) (y + row) * canvas_width + x) * 4;
        if (source == NULL) {
            memset(to, 0, (size_t) width * 4);
            continue;
        }
        const unsigned char *from = source + (size_t) row * width * 4;
        if (!over) {
            memcpy(to, from, (size_t) width * 4);
            continue;
        }
        for (int column = 0; column < width; column++) blend(to + column * 4, from + column * 4);
    }
}

unsigned fl_crc32(const unsigned char *bytes, size_t count) {
    unsigned sum = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (0xEDB88320u & -(sum & 1));
    }
    return ~sum;
}
