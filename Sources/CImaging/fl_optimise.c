// SPDX-License-Identifier: Apache-2.0
// Writes a JPEG's coefficients again with Huffman tables of its own; libjpeg leaves by longjmp, which Swift cannot.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

#include "fl_imaging.h"

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf out;
} failure;

static void leave(j_common_ptr info) { longjmp(((failure *) info->err)->out, 1); }
static void keep_quiet(j_common_ptr info) { (void) info; }

bool fl_optimise(const unsigned char *source, size_t count, unsigned char **out, size_t *out_count) {
    struct jpeg_decompress_struct reader;
    struct jpeg_compress_struct writer;
    failure error;
    unsigned long size = count + 65536;
    // With room from the start the library allocates nothing that an error would leave without an owner.
    unsigned char *const room = malloc(size);
    if (room == NULL) return false;
    unsigned char *buffer = room;

    reader.err = writer.err = jpeg_std_error(&error.base);
    error.base.error_exit = leave;
    error.base.output_message = keep_quiet;
    jpeg_create_decompress(&reader);
    jpeg_create_compress(&writer);
    if (setjmp(error.out)) {
        jpeg_destroy_compress(&writer);
        jpeg_destroy_decompress(&reader);
        free(room);
        return false;
    }
    jpeg_mem_src(&reader, source, count);
    jpeg_read_header(&reader, TRUE);
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&reader);
    jpeg_copy_critical_parameters(&reader, &writer);
    writer.optimize_coding = TRUE;
    jpeg_mem_dest(&writer, &buffer, &size);
    jpeg_write_coefficients(&writer, coefficients);
    jpeg_finish_compress(&writer);
    bool fits = buffer == room, sound = error.base.num_warnings == 0;
    jpeg_destroy_compress(&writer);
    jpeg_destroy_decompress(&reader);
    if (!fits) free(buffer);
    if (!fits || !sound) {
        free(room);
        return false;
    }
    *out = room;
    *out_count = size;
    return true;
}

void fl_forget(void *bytes) { free(bytes); }
