// SPDX-License-Identifier: Apache-2.0
#include "fl_imaging.h"

#include <string.h>
#include <vips/vips.h>

bool fl_init(void) {
    if (VIPS_INIT("fanlight-imaging"))
        return false;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    vips_cache_set_max_mem(0);
    vips_cache_set_max_files(0);
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoadMatrix", TRUE);
    return true;
}

// Replaces *image by next and drops the reference to the old one.
static void replace(VipsImage **image, VipsImage *next) {
    g_object_unref(*image);
    *image = next;
}

// The loader for HEIF leaves metadata in memory that ends with the picture which it made, while copies of the picture go on
// naming it: the profile gets memory of its own, the rest goes.
static fl_image *keep_profile(VipsImage *image) {
    VipsImage *next = NULL;
    const void *profile = NULL;
    size_t count = 0;
    if (image == NULL || vips_copy(image, &next, NULL)) {
        g_clear_object(&image);
        return NULL;
    }
    if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0 &&
        vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &count) == 0)
        vips_image_set_blob_copy(next, VIPS_META_ICC_NAME, profile, count);
    vips_image_remove(next, VIPS_META_EXIF_NAME);
    vips_image_remove(next, VIPS_META_XMP_NAME);
    replace(&image, next);
    return image;
}

fl_image *fl_open(const void *bytes, size_t count, fl_kind kind, int frames, int shrink, double scale) {
    // libvips takes a plain pointer but only reads from it.
    void *data = (void *) bytes;
    VipsImage *out = NULL;
    int failed = -1;
    // What was noted about another picture is none of this one's.
    vips_error_clear();
#define FL_COMMON "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED
    switch (kind) {
    case FL_JPEG: failed = vips_jpegload_buffer(data, count, &out, "shrink", shrink, FL_COMMON, NULL); break;
    case FL_PNG: failed = vips_pngload_buffer(data, count, &out, FL_COMMON, NULL); break;
    case FL_WEBP:
        failed = vips_webpload_buffer(data, count, &out, "n", frames, "scale", scale, FL_COMMON, NULL);
        break;
    case FL_GIF: failed = vips_gifload_buffer(data, count, &out, "n", frames, FL_COMMON, NULL); break;
    case FL_TIFF: failed = vips_tiffload_buffer(data, count, &out, FL_COMMON, NULL); break;
    case FL_HEIF: failed = vips_heifload_buffer(data, count, &out, FL_COMMON, NULL); break;
    }
#undef FL_COMMON
    if (failed) return NULL;
    return kind == FL_HEIF ? keep_profile(out) : out;
}

fl_image *fl_from_pixels(
    const void *pixels, int width, int height, int bands, const void *profile, size_t profile_count) {
    vips_error_clear();
    VipsImage *raw = vips_image_new_from_memory_copy(
        pixels, (size_t) width * height * bands, width, height, bands, VIPS_FORMAT_UCHAR);
    VipsImage *out = NULL;
    if (raw == NULL)
        return NULL;
    int failed = vips_copy(
        raw, &out, "interpretation", bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, NULL);
    g_object_unref(raw);
    if (failed)
        return NULL;
    if (profile != NULL)
        vips_image_set_blob_copy(out, VIPS_META_ICC_NAME, profile, profile_count);
    return out;
}

fl_image *fl_tag(fl_image *in, const void *profile, size_t count) {
    VipsImage *out = NULL;
    if (vips_copy(in, &out, NULL))
        return NULL;
    vips_image_set_blob_copy(out, VIPS_META_ICC_NAME, profile, count);
    return out;
}

fl_image *fl_in_memory(fl_image *in) { return vips_image_copy_memory(in); }

size_t fl_size(fl_image *in) { return VIPS_IMAGE_SIZEOF_IMAGE(in); }

// The colour space that the profile is for ("RGB ", "GRAY", "CMYK"), or NULL.
static const char *profile_space(VipsImage *image, size_t *count) {
    const void *data = NULL;
    *count = 0;
    if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) == 0 ||
        vips_image_get_blob(image, VIPS_META_ICC_NAME, &data, count) || *count < 128)
        return NULL;
    return (const char *) data + 16;
}

static bool names_srgb(const char *profile, size_t count) {
    static const char wide[] = {'s', 0, 'R', 0, 'G', 0, 'B'};
    for (size_t i = 128; i + sizeof wide <= count; i++)
        if (memcmp(profile + i, "sRGB", 4) == 0 || memcmp(profile + i, wide, sizeof wide) == 0)
            return true;
    return false;
}

static int colour_bands(VipsImage *image) {
    return image->Bands - (vips_image_hasalpha(image) ? 1 : 0);
}

// icc_transform to sRGB with the alpha band set aside: 8.14.1 can crash on alpha.
static int to_srgb(VipsImage **image) {
    VipsImage *in = *image;
    VipsImage **t = (VipsImage **) vips_object_local_array(VIPS_OBJECT(in), 4);
    bool alpha = vips_image_hasalpha(in);
    if (alpha) {
        if (vips_extract_band(in, &t[0], 0, "n", in->Bands - 1, NULL) ||
            vips_extract_band(in, &t[1], in->Bands - 1, NULL))
            return -1;
    } else {
        t[0] = in;
        g_object_ref(in);
    }
    if (vips_icc_transform(t[0], &t[2], "srgb", "embedded", TRUE, "input_profile",
            in->Type == VIPS_INTERPRETATION_CMYK ? "cmyk" : "srgb", "intent", VIPS_INTENT_PERCEPTUAL,
            "black_point_compensation", TRUE, NULL))
        return -1;
    if (alpha) {
        VipsImage *depth = NULL;
        if (vips_cast(t[1], &depth, t[2]->BandFmt, NULL))
            return -1;
        int failed = vips_bandjoin2(t[2], depth, &t[3], NULL);
        g_object_unref(depth);
        if (failed)
            return -1;
    } else {
        t[3] = t[2];
        g_object_ref(t[2]);
    }
    VipsImage *next = NULL;
    if (vips_copy(t[3], &next, NULL))
        return -1;
    replace(image, next);
    return 0;
}

// Colours that every saver understands, and a profile only where it fits the pixels.
static int settle_colours(VipsImage **image, bool srgb, int *notes) {
    VipsImage *next = NULL;
    // A header of our own, so that fields can be changed.
    if (vips_copy(*image, &next, NULL))
        return -1;
    replace(image, next);

    size_t count;
    const char *space = profile_space(*image, &count);
    bool cmyk = (*image)->Type == VIPS_INTERPRETATION_CMYK;
    if (space != NULL) {
        const char *wanted = cmyk ? "CMYK" : colour_bands(*image) < 3 ? "GRAY" : "RGB ";
        bool usable = (*image)->BandFmt == VIPS_FORMAT_UCHAR || (*image)->BandFmt == VIPS_FORMAT_USHORT;
        if (memcmp(space, wanted, 4) != 0 || !usable) {
            vips_image_remove(*image, VIPS_META_ICC_NAME);
            space = NULL;
            *notes |= FL_PROFILE_UNFIT;
        }
    }
    if (cmyk || (srgb && space != NULL && memcmp(space, "RGB ", 4) == 0 && !names_srgb(space - 16, count))) {
        if (to_srgb(image)) {
            // A broken profile: its colours are taken for the usual ones.
            vips_error_clear();
            *notes |= FL_PROFILE_BROKEN;
            if (vips_copy(*image, &next, NULL))
                return -1;
            replace(image, next);
        }
        // Without a profile sRGB is meant, and no room is taken.
        vips_image_remove(*image, VIPS_META_ICC_NAME);
        if (cmyk && (*image)->Type == VIPS_INTERPRETATION_CMYK) {
            if (vips_colourspace(*image, &next, VIPS_INTERPRETATION_sRGB, NULL))
                return -1;
            replace(image, next);
        }
    }
    return 0;
}

// 8 bits, RGB or grey.
static int settle_depth(VipsImage **image) {
    VipsImage *next = NULL;
    VipsInterpretation now = vips_image_guess_interpretation(*image);
    VipsInterpretation wanted =
        colour_bands(*image) < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    if (now != wanted || (*image)->Type != wanted) {
        if (vips_colourspace(*image, &next, wanted, "source_space", now, NULL))
            return -1;
        replace(image, next);
    }
    if ((*image)->BandFmt != VIPS_FORMAT_UCHAR) {
        if (vips_cast(*image, &next, VIPS_FORMAT_UCHAR, NULL))
            return -1;
        replace(image, next);
    }
    return 0;
}

static bool must_stay(const char *name) {
    static const char *const names[] = {
        VIPS_META_ICC_NAME, VIPS_META_PAGE_HEIGHT, VIPS_META_N_PAGES, "loop", "delay", "gif-loop", "gif-delay", NULL,
    };
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int drop_fields(VipsImage **image) {
    VipsImage *next = NULL;
    if (vips_copy(*image, &next, NULL))
        return -1;
    replace(image, next);
    gchar **fields = vips_image_get_fields(*image);
    for (int i = 0; fields[i] != NULL; i++)
        if (!must_stay(fields[i]))
            vips_image_remove(*image, fields[i]);
    g_strfreev(fields);
    return 0;
}

// Turns each frame on its own; libvips would turn the strip that holds them all.
static int turn_frames(VipsImage **image, int orientation) {
    int page = vips_image_get_page_height(*image);
    int pages = (*image)->Ysize / page;
    VipsImage *next = NULL;
    if (pages < 2) {
        vips_image_set_int(*image, VIPS_META_ORIENTATION, orientation);
        if (vips_autorot(*image, &next, NULL))
            return -1;
        replace(image, next);
        return 0;
    }
    VipsImage **turned = g_new0(VipsImage *, pages);
    int failed = 0;
    for (int i = 0; i < pages && !failed; i++) {
        VipsImage *crop = NULL, *own = NULL;
        failed = vips_extract_area(*image, &crop, 0, i * page, (*image)->Xsize, page, NULL) ||
                 vips_copy(crop, &own, NULL);
        if (!failed) {
            vips_image_remove(own, VIPS_META_PAGE_HEIGHT);
            vips_image_set_int(own, VIPS_META_ORIENTATION, orientation);
            failed = vips_autorot(own, &turned[i], NULL);
        }
        if (own != NULL) g_object_unref(own);
        if (crop != NULL) g_object_unref(crop);
    }
    if (!failed)
        failed = vips_arrayjoin(turned, &next, pages, "across", 1, NULL);
    if (!failed) {
        VipsImage *own = NULL;
        int height = turned[0]->Ysize;
        failed = vips_copy(next, &own, NULL);
        g_object_unref(next);
        if (!failed) {
            vips_image_set_int(own, VIPS_META_PAGE_HEIGHT, height);
            replace(image, own);
        }
    }
    for (int i = 0; i < pages; i++)
        if (turned[i] != NULL) g_object_unref(turned[i]);
    g_free(turned);
    return failed ? -1 : 0;
}

// Shrinks to the box, which is meant for the upright picture: turning comes later, on fewer pixels.
static int fit(VipsImage **image, const fl_order *order) {
    int page = vips_image_get_page_height(*image);
    bool swaps = order->orientation >= 5;
    int width = swaps ? page : (*image)->Xsize, height = swaps ? (*image)->Xsize : page;
    if (order->box_width <= 0 || order->box_height <= 0 ||
        (width <= order->box_width && height <= order->box_height))
        return 0;
    int across = swaps ? order->box_height : order->box_width, down = swaps ? order->box_width : order->box_height;
    VipsImage *next = NULL;
    if (vips_thumbnail_image(*image, &next, across, "height", down, "size", VIPS_SIZE_DOWN, "no_rotate", TRUE, NULL))
        return -1;
    replace(image, next);
    return 0;
}

// Puts transparency on the ground; a coloured ground makes a grey picture a coloured one.
static int flatten(VipsImage **image, const unsigned char ground[3]) {
    VipsImage *next = NULL;
    if (!vips_image_hasalpha(*image))
        return 0;
    bool neutral = ground[0] == ground[1] && ground[1] == ground[2];
    if (colour_bands(*image) < 3 && !neutral) {
        vips_image_remove(*image, VIPS_META_ICC_NAME);
        if (vips_colourspace(*image, &next, VIPS_INTERPRETATION_sRGB, NULL))
            return -1;
        replace(image, next);
    }
    double values[] = {ground[0], ground[1], ground[2]};
    VipsArrayDouble *background = vips_array_double_new(values, colour_bands(*image) < 3 ? 1 : 3);
    int failed = vips_flatten(*image, &next, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    if (failed)
        return -1;
    replace(image, next);
    return 0;
}

static int hold(VipsImage **image) {
    VipsImage *next = vips_image_copy_memory(*image);
    if (next == NULL)
        return -1;
    replace(image, next);
    return 0;
}

static int turn(VipsImage **image, int orientation) {
    VipsImage *next = NULL;
    // Turning reads in another order than the decoder writes.
    if (hold(image) || vips_copy(*image, &next, NULL))
        return -1;
    replace(image, next);
    return turn_frames(image, orientation) || drop_fields(image) ? -1 : 0;
}

fl_image *fl_prepare(fl_image *in, fl_order order, int *notes) {
    VipsImage *image = in;
    g_object_ref(in);
    bool turns = order.orientation >= 2 && order.orientation <= 8;
    if (settle_colours(&image, order.srgb, notes) == 0) {
        bool animated = image->Ysize > vips_image_get_page_height(image);
        if (fit(&image, &order) == 0 && settle_depth(&image) == 0 &&
            (!order.flat || flatten(&image, order.ground) == 0) && drop_fields(&image) == 0 &&
            (!turns || turn(&image, order.orientation) == 0) &&
            (!(order.keep || animated) || hold(&image) == 0))
            return image;
    }
    g_object_unref(image);
    return NULL;
}

bool fl_save(fl_image *in, fl_encoding encoding, void **out, size_t *count) {
    int failed = -1;
    int subsampling = encoding.full_colour ? VIPS_FOREIGN_SUBSAMPLE_OFF : VIPS_FOREIGN_SUBSAMPLE_ON;
    switch (encoding.kind) {
    case FL_JPEG:
        failed = vips_jpegsave_buffer(
            in, out, count, "Q", encoding.quality, "optimize_coding", TRUE, "subsample_mode", subsampling, NULL);
        break;
    case FL_PNG:
        failed = encoding.palette
            ? vips_pngsave_buffer(in, out, count, "compression", 9, "palette", TRUE, NULL)
            : vips_pngsave_buffer(in, out, count, "compression", 6, "filter", VIPS_FOREIGN_PNG_FILTER_ALL, NULL);
        break;
    case FL_WEBP: failed = vips_webpsave_buffer(in, out, count, "Q", encoding.quality, NULL); break;
    case FL_GIF: failed = vips_gifsave_buffer(in, out, count, NULL); break;
    case FL_TIFF:
    case FL_HEIF: vips_error("fanlight-imaging", "%s", "no saver for this format"); break;
    }
    return !failed;
}

void *fl_rgb(fl_image *in) {
    VipsImage *out = NULL;
    size_t size;
    if (vips_colourspace(in, &out, VIPS_INTERPRETATION_sRGB, NULL))
        return NULL;
    void *pixels = out->Bands == 3 ? vips_image_write_to_memory(out, &size) : NULL;
    g_object_unref(out);
    return pixels;
}

int fl_width(fl_image *in) { return vips_image_get_width(in); }
int fl_height(fl_image *in) { return vips_image_get_page_height(in); }

void fl_error(char *buffer, size_t size) {
    g_strlcpy(buffer, vips_error_buffer(), size);
    vips_error_clear();
}

void fl_release(fl_image *in) { g_object_unref(in); }
void fl_free(void *buffer) { g_free(buffer); }
