// SPDX-License-Identifier: Apache-2.0
// Turns a JPEG by moving its coefficients; libjpeg leaves by longjmp, which Swift cannot.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>

#include "fl_imaging.h"

// A picture of more scans costs more time than any camera's is worth.
enum { MOST_SCANS = 500, FIRST_ROOM = 65536, BAND = 8 };

typedef short row8 __attribute__((vector_size(16)));

// One turn of one picture: everything that libjpeg's calls back, and an error on the way, need.
typedef struct {
    struct jpeg_decompress_struct reader;
    struct jpeg_compress_struct writer;
    struct jpeg_error_mgr error;
    struct jpeg_progress_mgr progress;
    struct jpeg_destination_mgr target;
    jmp_buf out;
    unsigned char *bytes;
    size_t room;
    fl_turned *result;
    bool transposes, mirrors_x, mirrors_y;
    // True when a coefficient is larger than the tables of the standard have codes for, which nobody checks at writing.
    bool is_large;
} turn;

static void leave(j_common_ptr info) {
    turn *self = info->client_data;
    info->err->format_message(info, self->result->message);
    longjmp(self->out, 1);
}

// A warning tells that coefficients are missing or guessed; what is left is not the picture.
static void leave_on_warning(j_common_ptr info, int level) {
    if (level < 0) leave(info);
}

static void keep_quiet(j_common_ptr info) { (void) info; }

static void count_scans(j_common_ptr info) {
    turn *self = info->client_data;
    if (!info->is_decompressor || self->reader.input_scan_number <= MOST_SCANS) return;
    snprintf(self->result->message, JMSG_LENGTH_MAX, "more than %d scans", MOST_SCANS);
    longjmp(self->out, 1);
}

// MARK: - Where the new file goes

static void point_target_at(turn *self, size_t used) {
    self->target.next_output_byte = self->bytes + used;
    self->target.free_in_buffer = self->room - used;
}

static void start_target(j_compress_ptr info) { point_target_at(info->client_data, 0); }

static boolean grow_target(j_compress_ptr info) {
    turn *self = info->client_data;
    unsigned char *larger = realloc(self->bytes, self->room * 2);
    if (larger == NULL) {
        snprintf(self->result->message, JMSG_LENGTH_MAX, "out of memory");
        longjmp(self->out, 1);
    }
    self->bytes = larger;
    self->room *= 2;
    point_target_at(self, self->room / 2);
    return TRUE;
}

static void end_target(j_compress_ptr info) { (void) info; }

// MARK: - Blocks

static inline row8 low(row8 a, row8 b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
static inline row8 high(row8 a, row8 b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }

// Three times interleaving a row with the one four below exchanges rows and columns.
static inline void transpose(row8 rows[8]) {
    row8 next[8];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            next[2 * i] = low(rows[i], rows[i + 4]);
            next[2 * i + 1] = high(rows[i], rows[i + 4]);
        }
        memcpy(rows, next, sizeof next);
    }
}

// Mirroring changes the sign of every odd frequency along its axis. Gives the size of the coefficients, bits of all together:
// those of the first only where it is beyond what 8-bit samples make.
static inline row8 move_block(const turn *self, const JCOEF *source, JCOEF *target) {
    const row8 odd = {0, -1, 0, -1, 0, -1, 0, -1};
    const row8 none = {0};
    const row8 not_first = {0, -1, -1, -1, -1, -1, -1, -1};
    row8 rows[8], size = {0};
    memcpy(rows, source, sizeof rows);
    if (source[0] < -1024 || source[0] > 1023) size[0] = ~0;
    if (self->transposes) transpose(rows);
    row8 across = self->mirrors_x ? odd : none;
    for (int i = 0; i < 8; i++) {
        row8 sign = rows[i] >> 15, positive = (rows[i] ^ sign) - sign;
        size |= i == 0 ? positive & not_first : positive;
        row8 mask = self->mirrors_y && (i & 1) ? ~across : across;
        rows[i] = (rows[i] ^ mask) - mask;
    }
    memcpy(target, rows, sizeof rows);
    return size;
}

// The start of each row; all of an array is in memory, because this library keeps none elsewhere.
static JBLOCKROW *rows_of(turn *self, jvirt_barray_ptr array, JDIMENSION count, boolean writes) {
    j_common_ptr info = (j_common_ptr) &self->reader;
    JBLOCKROW *rows = info->mem->alloc_large(info, JPOOL_IMAGE, count * sizeof *rows);
    for (JDIMENSION i = 0; i < count; i++) rows[i] = info->mem->access_virt_barray(info, array, i, 1, writes)[0];
    return rows;
}

// Goes through the source in bands of a few rows: each is read in its own order, which the processor foresees, and
// what lies side by side in the target is written together.
static void move_blocks(turn *self, JBLOCKROW *from, JBLOCKROW *to, JDIMENSION columns, JDIMENSION rows) {
    row8 size = {0};
    for (JDIMENSION band = 0; band < rows; band += BAND) {
        JDIMENSION end = band + BAND < rows ? band + BAND : rows;
        for (JDIMENSION column = 0; column < columns; column++) {
            for (JDIMENSION row = band; row < end; row++) {
                JDIMENSION x = self->transposes ? row : column, y = self->transposes ? column : row;
                JDIMENSION width = self->transposes ? rows : columns, height = self->transposes ? columns : rows;
                if (self->mirrors_x) x = width - 1 - x;
                if (self->mirrors_y) y = height - 1 - y;
                size |= move_block(self, from[row][column], to[y][x]);
            }
        }
    }
    for (int i = 0; i < 8; i++) self->is_large = self->is_large || (size[i] & ~1023) != 0;
}

// MARK: - The picture

static JDIMENSION parts(JDIMENSION whole, JDIMENSION part) { return (whole + part - 1) / part; }

// The new size, in pixels; false when partial blocks would stay behind at an edge.
static bool measure(turn *self, bool trims, JDIMENSION *width, JDIMENSION *height) {
    struct jpeg_decompress_struct *in = &self->reader;
    bool is_single = in->num_components == 1;
    JDIMENSION unit_x = DCTSIZE * (is_single ? 1 : in->max_h_samp_factor);
    JDIMENSION unit_y = DCTSIZE * (is_single ? 1 : in->max_v_samp_factor);
    *width = self->transposes ? in->image_height : in->image_width;
    *height = self->transposes ? in->image_width : in->image_height;
    JDIMENSION over_x = *width % (self->transposes ? unit_y : unit_x);
    JDIMENSION over_y = *height % (self->transposes ? unit_x : unit_y);
    if (!self->mirrors_x) over_x = 0;
    if (!self->mirrors_y) over_y = 0;
    if (!trims && (over_x || over_y)) return false;
    *width -= over_x;
    *height -= over_y;
    return *width > 0 && *height > 0;
}

// The blocks of a component's turned array, whole units of the interleaved scan.
static void array_size(const turn *self, const jpeg_component_info *component, JDIMENSION width, JDIMENSION height,
    JDIMENSION *columns, JDIMENSION *rows, JDIMENSION *unit) {
    const struct jpeg_decompress_struct *in = &self->reader;
    int x = component->h_samp_factor, y = component->v_samp_factor;
    int most_x = in->max_h_samp_factor, most_y = in->max_v_samp_factor;
    *unit = self->transposes ? x : y;
    *columns = parts(width, DCTSIZE * (self->transposes ? most_y : most_x)) * (self->transposes ? y : x);
    *rows = parts(height, DCTSIZE * (self->transposes ? most_x : most_y)) * *unit;
}

// Arrays for the turned coefficients; they have to be asked for before the coefficients are read.
static jvirt_barray_ptr *request_arrays(turn *self, JDIMENSION width, JDIMENSION height) {
    j_common_ptr info = (j_common_ptr) &self->reader;
    jvirt_barray_ptr *arrays = info->mem->alloc_small(info, JPOOL_IMAGE, MAX_COMPONENTS * sizeof *arrays);
    for (int i = 0; i < self->reader.num_components; i++) {
        JDIMENSION columns, rows, unit;
        array_size(self, &self->reader.comp_info[i], width, height, &columns, &rows, &unit);
        arrays[i] = info->mem->request_virt_barray(info, JPOOL_IMAGE, FALSE, columns, rows, unit);
    }
    return arrays;
}

static void transpose_table(JQUANT_TBL *table) {
    if (table == NULL) return;
    for (int row = 0; row < DCTSIZE; row++) {
        for (int column = 0; column < row; column++) {
            UINT16 *a = &table->quantval[row * DCTSIZE + column], *b = &table->quantval[column * DCTSIZE + row];
            UINT16 held = *a;
            *a = *b;
            *b = held;
        }
    }
}

static void set_parameters(turn *self, JDIMENSION width, JDIMENSION height) {
    struct jpeg_compress_struct *out = &self->writer;
    jpeg_copy_critical_parameters(&self->reader, out);
    out->image_width = width;
    out->image_height = height;
    if (!self->transposes) return;
    UINT16 density = out->X_density;
    out->X_density = out->Y_density;
    out->Y_density = density;
    for (int i = 0; i < NUM_QUANT_TBLS; i++) transpose_table(out->quant_tbl_ptrs[i]);
    for (int i = 0; i < out->num_components; i++) {
        jpeg_component_info *component = &out->comp_info[i];
        int factor = component->h_samp_factor;
        component->h_samp_factor = component->v_samp_factor;
        component->v_samp_factor = factor;
    }
}

static size_t write_file(turn *self, jvirt_barray_ptr *arrays, JDIMENSION width, JDIMENSION height, bool optimises) {
    set_parameters(self, width, height);
    self->writer.optimize_coding = optimises;
    self->writer.dest = &self->target;
    jpeg_write_coefficients(&self->writer, arrays);
    jpeg_finish_compress(&self->writer);
    return self->room - self->target.free_in_buffer;
}

static void move_components(turn *self, jvirt_barray_ptr *from, jvirt_barray_ptr *to, JDIMENSION width, JDIMENSION height) {
    struct jpeg_decompress_struct *in = &self->reader;
    JDIMENSION across = self->transposes ? height : width, down = self->transposes ? width : height;
    for (int i = 0; i < in->num_components; i++) {
        jpeg_component_info *component = &in->comp_info[i];
        JDIMENSION columns = parts(across * component->h_samp_factor, DCTSIZE * in->max_h_samp_factor);
        JDIMENSION rows = parts(down * component->v_samp_factor, DCTSIZE * in->max_v_samp_factor);
        JBLOCKROW *sources = rows_of(self, from[i], rows, FALSE);
        JDIMENSION padded_columns, padded_rows, unit;
        array_size(self, component, width, height, &padded_columns, &padded_rows, &unit);
        JBLOCKROW *targets = rows_of(self, to[i], padded_rows, TRUE);
        move_blocks(self, sources, targets, columns, rows);
    }
}

static fl_turn_status turn_picture(turn *self, const unsigned char *source, size_t count, bool trims) {
    jpeg_mem_src(&self->reader, source, count);
    jpeg_read_header(&self->reader, TRUE);
    JDIMENSION width, height;
    if (!measure(self, trims, &width, &height)) return FL_TURN_NOT_PERFECT;
    jvirt_barray_ptr *turned = request_arrays(self, width, height);
    move_components(self, jpeg_read_coefficients(&self->reader), turned, width, height);
    // Tables made for the picture are checked while they are made.
    size_t size = self->is_large ? SIZE_MAX : write_file(self, turned, width, height, false);
    // The tables of the standard suit photographs; drawings more than double in size.
    if (size > count / 10 * 11) size = write_file(self, turned, width, height, true);
    self->result->bytes = self->bytes;
    self->result->count = size;
    self->bytes = NULL;
    return FL_TURN_DONE;
}

static void prepare(turn *self) {
    self->reader.err = self->writer.err = jpeg_std_error(&self->error);
    self->error.error_exit = leave;
    self->error.emit_message = leave_on_warning;
    self->error.output_message = keep_quiet;
    self->reader.client_data = self->writer.client_data = self;
    self->target.init_destination = start_target;
    self->target.empty_output_buffer = grow_target;
    self->target.term_destination = end_target;
    self->progress.progress_monitor = count_scans;
}

fl_turn_status fl_turn_jpeg(const unsigned char *source, size_t count, int orientation, bool trims, fl_turned *result) {
    memset(result, 0, sizeof *result);
    turn *self = calloc(1, sizeof *self);
    if (self == NULL) return FL_TURN_FAILED;
    self->result = result;
    self->transposes = orientation >= 5;
    self->mirrors_x = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    self->mirrors_y = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    self->room = count + FIRST_ROOM;
    self->bytes = malloc(self->room);
    fl_turn_status status = FL_TURN_FAILED;
    prepare(self);
    if (self->bytes == NULL) {
        snprintf(result->message, JMSG_LENGTH_MAX, "out of memory");
    } else if (!setjmp(self->out)) {
        jpeg_create_decompress(&self->reader);
        jpeg_create_compress(&self->writer);
        self->reader.progress = &self->progress;
        status = turn_picture(self, source, count, trims);
    }
    jpeg_destroy_compress(&self->writer);
    jpeg_destroy_decompress(&self->reader);
    free(self->bytes);
    free(self);
    return status;
}

void fl_forget(void *bytes) { free(bytes); }
