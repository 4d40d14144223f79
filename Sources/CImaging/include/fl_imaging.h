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
/// frames: so many of an animation, -1 = all. shrink: 1, 2, 4 or 8, JPEG only. scale: 1 or less, WebP only.
fl_image *_Nullable fl_open(
    const void *_Nonnull bytes, size_t count, fl_kind kind, int frames, int shrink, double scale);

/// Copies 8-bit pixels of 1, 3 or 4 bands, row by row from the top, with a colour profile where one is given.
/// NULL on failure.
fl_image *_Nullable fl_from_pixels(const void *_Nonnull pixels, int width, int height, int bands,
    const void *_Nullable profile, size_t profile_count);

/// Tells a picture that it is a strip of frames: rows of one frame, their times in milliseconds, and how often they are
/// played, 0 = for ever. NULL on failure.
fl_image *_Nullable fl_animate(
    fl_image *_Nonnull in, int page_height, const int *_Nonnull delays, int count, int plays);

/// Frames of an animation, 1 for a still.
int fl_frames(fl_image *_Nonnull in);

/// The time of each frame in milliseconds; 100 where the picture does not say.
void fl_delays(fl_image *_Nonnull in, int *_Nonnull delays, int count);

/// How often an animation is played, 0 = for ever.
int fl_plays(fl_image *_Nonnull in);

/// The colour profile, owned by the picture. NULL where it has none.
const void *_Nullable fl_profile(fl_image *_Nonnull in, size_t *_Nonnull count);

/// The same pixels with a colour profile, which is copied. NULL on failure.
fl_image *_Nullable fl_tag(fl_image *_Nonnull in, const void *_Nonnull profile, size_t count);

/// One frame of a strip. NULL on failure.
fl_image *_Nullable fl_frame(fl_image *_Nonnull in, int index);

/// The pixels of a still as 8-bit RGB and alpha, row by row from the top; released with fl_free. NULL on failure.
void *_Nullable fl_rgba(fl_image *_Nonnull in);

/// Draws RGBA pixels on an RGBA canvas: over what is there, or instead of it. A NULL source clears the place.
void fl_draw(unsigned char *_Nonnull canvas, int canvas_width, const unsigned char *_Nullable source, int x, int y,
    int width, int height, bool over);

/// CRC-32 of PNG chunks.
unsigned fl_crc32(const unsigned char *_Nonnull bytes, size_t count);

/// Decodes all pixels into memory, so that they can be read more than once. NULL on failure.
fl_image *_Nullable fl_in_memory(fl_image *_Nonnull in);

/// Bytes of all decoded pixels.
size_t fl_size(fl_image *_Nonnull in);

/// What fl_prepare noticed.
typedef enum {
    FL_PROFILE_UNFIT = 1,
    FL_PROFILE_BROKEN = 2,
} fl_note;

/// How a picture is to be made ready.
typedef struct {
    /// Bounds of the upright picture; 0, 0 = none. Never enlarged.
    int box_width;
    int box_height;
    /// EXIF orientation that the decoder has not applied.
    int orientation;
    /// Converts the colours of a profile to sRGB.
    bool srgb;
    /// Puts transparency on the ground.
    bool flat;
    unsigned char ground[3];
    /// Holds the result in memory, so that it can be saved more than once.
    bool keep;
} fl_order;

/// Makes a picture ready to be saved: 8-bit RGB or grey, upright, within the box, without metadata other than its
/// colour profile. notes: bits of fl_note are added. NULL on failure.
fl_image *_Nullable fl_prepare(fl_image *_Nonnull in, fl_order order, int *_Nonnull notes);

/// How a picture is to be encoded.
typedef struct {
    fl_kind kind;
    /// 1...100; JPEG and WebP.
    int quality;
    /// 256 colours at most; PNG.
    bool palette;
    /// Colour as fine as brightness; JPEG.
    bool full_colour;
} fl_encoding;

/// Encodes; the buffer is released with fl_free. False on failure.
bool fl_save(
    fl_image *_Nonnull in, fl_encoding encoding, void *_Nullable *_Nonnull out, size_t *_Nonnull count);

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

/// Closes every descriptor but the three standard ones: libraries of the parent do not mark all of theirs.
bool fl_close_inherited(void);

/// Gives up what decoding does not need: core files, files beyond `largest_file` bytes, many descriptors, new
/// privileges, a life after the parent's, and more address space than is now in use plus `headroom` bytes.
/// False on failure.
bool fl_confine(size_t headroom, size_t largest_file);
/// Gives up network, files by name, programs and other processes, for all threads (seccomp). False on failure.
bool fl_renounce(void);
/// Waits for standard input; true when nothing came in time.
bool fl_awaits_input(int milliseconds);
/// Gives memory that is free back to the system.
void fl_trim(void);
/// Allows so many more seconds of processor time from now on, then the process is killed. False on failure.
bool fl_allow_cpu(int seconds);
/// An unnamed file in memory; -1 on failure.
int fl_memory_file(void);

/// Turns and mirrors an 8-bit plane by an EXIF orientation; the target has its sides exchanged from 5 on.
void fl_turn(const unsigned char *_Nonnull source, size_t source_stride, int width, int height,
    unsigned char *_Nonnull target, size_t target_stride, int orientation);
/// Repeats the last column and row of a plane up to its padded size.
void fl_pad(unsigned char *_Nonnull plane, size_t stride, int width, int height, int padded_width, int padded_height);

/// How a turn ended.
typedef enum {
    FL_TURN_DONE,
    /// Partial blocks at an edge would stay behind.
    FL_TURN_NOT_PERFECT,
    /// The picture is damaged, or memory ended.
    FL_TURN_FAILED,
} fl_turn_status;

/// A turned JPEG.
typedef struct {
    /// Released with fl_forget; NULL unless the turn is done.
    unsigned char *_Nullable bytes;
    size_t count;
    /// libjpeg's words for a failure, ended by NUL.
    char message[200];
} fl_turned;

/// Makes a JPEG upright by moving its coefficients: no loss, no metadata, sequential Huffman coding with the tables of
/// the standard, or with tables made for it where those made it a tenth larger. orientation: EXIF, 1...8. trims: cuts
/// partial blocks off where they would stay behind.
fl_turn_status fl_turn_jpeg(const unsigned char *_Nonnull source, size_t count, int orientation, bool trims,
    fl_turned *_Nonnull result);
/// Releases what fl_turn_jpeg made.
void fl_forget(void *_Nullable bytes);
