// SPDX-License-Identifier: Apache-2.0
// A few plain functions over libvips, whose own calls are variadic and therefore closed to Swift.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// A picture inside libvips; released with fl_release.
typedef struct _VipsImage fl_image;

/// Formats, by the name of the loader or saver that is used.
typedef enum {
    FL_JPEG = 1,
    FL_PNG = 2,
    FL_WEBP = 3,
    FL_GIF = 4,
    FL_TIFF = 5,
    FL_HEIF = 6,
} fl_kind;

/// Starts libvips: one thread a picture, no caches, only the loaders that are wanted. False on failure.
bool fl_init(void);

/// Opens a picture in memory with the named loader; the bytes must outlive the picture. NULL on failure.
/// all_frames: every frame of an animation; otherwise the first. shrink: 1, 2, 4 or 8, JPEG only.
fl_image *_Nullable fl_open(const void *_Nonnull bytes, size_t count, fl_kind kind, bool all_frames, int shrink);

/// Copies 8-bit RGB pixels, row by row from the top. NULL on failure.
fl_image *_Nullable fl_from_rgb(const void *_Nonnull pixels, int width, int height);

/// Makes a picture ready to be saved: 8-bit RGB or grey, turned by the EXIF orientation, not larger than the box
/// (0, 0 = no bound), never enlarged, without metadata other than its colour profile.
/// srgb: converts the colours of a wide-gamut profile. flat: puts alpha on white. keep: holds the result in memory,
/// so that it can be saved more than once. NULL on failure.
fl_image *_Nullable fl_prepare(
    fl_image *_Nonnull in, int box_width, int box_height, int orientation, bool srgb, bool flat, bool keep);

/// Encodes; the buffer is released with fl_free. False on failure.
bool fl_save(
    fl_image *_Nonnull in, fl_kind kind, int quality, void *_Nullable *_Nonnull out, size_t *_Nonnull count);

/// The pixels as 8-bit RGB, row by row from the top; released with fl_free. NULL on failure.
void *_Nullable fl_rgb(fl_image *_Nonnull in);

/// Pixels of a row.
int fl_width(fl_image *_Nonnull in);
/// Rows of one frame.
int fl_height(fl_image *_Nonnull in);
/// Copies libvips' message, cut to fit and always ended by NUL, and forgets it.
void fl_error(char *_Nonnull buffer, size_t size);
/// Releases a picture.
void fl_release(fl_image *_Nonnull in);
/// Releases a buffer.
void fl_free(void *_Nullable buffer);

// Closes every descriptor but the three standard ones: libraries of the parent do not mark all of theirs.
bool fl_close_inherited(void);

/// Gives up what decoding does not need: core files, large written files, many descriptors, new privileges, a life after
/// the parent's, and more address space than is now in use plus `headroom` bytes. False on failure.
bool fl_confine(size_t headroom);
/// Waits for standard input; gives memory back to the system when nothing comes for a while.
void fl_await_input(void);
/// Allows so many more seconds of processor time from now on, then the process is killed. False on failure.
bool fl_allow_cpu(int seconds);

/// How one axis of a plane is resampled.
typedef struct {
    /// Samples that hold picture.
    int source_count;
    /// Samples to make; those beyond the picture repeat its edge.
    int target_count;
    /// Source samples for one target sample, at least 1.
    double scale;
    /// Length of the picture in source samples; may end within the last sample.
    double length;
    /// Goes through the source backwards.
    bool flip;
} fl_axis;

/// Resamples an 8-bit plane with a Lanczos filter of three lobes; turns it by flips and a final exchange of axes.
/// target holds across.target_count columns and down.target_count rows, or the reverse where transpose is set.
/// False when memory is short.
bool fl_resample(const unsigned char *_Nonnull source, int source_stride, unsigned char *_Nonnull target,
    int target_stride, fl_axis across, fl_axis down, bool transpose);
