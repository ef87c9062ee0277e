/* The networks of LPIPS from a picture's levels to its features, or to their distances from another's. Plain C,
 * called through ctypes.
 *
 * One call runs all layers, in memory that the caller keeps: new memory and calls between layers would take a
 * tenth of the time. Planes are height × width × channels. */

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include "convolution.h"
#include "feature_planes.h"

enum { LINE = 16 }; /* floats of a line of the cache */

/* A convolution without a stride, after pooling of pooled × pooled pixels, two apart, unless that is 0. With
 * `step` its weights are those of a `TiledConvolution`, else those of `convolve`. With `gains` its outputs are
 * features. */
typedef struct {
    const float *weights, *bias, *gains;
    int64_t channels, outputs, side, border, step, pooled;
} Stage;

typedef struct {
    Folding folding;
    const Stage *stages;
    int64_t count, lanes;
} Network;

static Size pooled_size(const Stage *stage, Size of) {
    int64_t side = stage->pooled;
    return side ? (Size){(of.height - side) / 2 + 1, (of.width - side) / 2 + 1} : of;
}

static Size convolved_size(const Stage *stage, Size of) {
    int64_t more = 2 * stage->border - stage->side + 1;
    return (Size){of.height + more, of.width + more};
}

static int64_t smaller(int64_t one, int64_t other) {
    return one < other ? one : other;
}

static int64_t larger(int64_t one, int64_t other) {
    return one > other ? one : other;
}

static int64_t whole_lines(int64_t floats) {
    return (floats + LINE - 1) / LINE * LINE;
}

/* Rows of a stage's outputs that are computed at a time. Where the next stage takes the largest of them, few
 * enough that they are still in the second cache then. */
static int64_t band_rows(const Stage *stage, Size outputs, int64_t pooled) {
    if (!stage->step || !pooled)
        return outputs.height;
    int64_t rows = stage->step * tile_rows_at_once((outputs.width + stage->step - 1) / stage->step);
    return smaller(rows, outputs.height);
}

/* The side of the squares that the next stage takes the largest of, or 0. */
static int64_t pooled_next(const Network *network, const Stage *stage) {
    return stage + 1 < network->stages + network->count ? stage[1].pooled : 0;
}

/* Floats of the largest plane, of the largest band with what stays of the one before it, and of the largest
 * tiles. */
typedef struct {
    int64_t plane, band, tiles;
} Room;

static Room room_of(const Network *network, Size picture) {
    const Folding *by = &network->folding;
    Size size = folded_size(by, picture);
    Room room = {size.height * size.width * by->side * by->side * COLOURS, 0, 0};
    for (const Stage *stage = network->stages; stage < network->stages + network->count; stage++) {
        size = convolved_size(stage, pooled_size(stage, size));
        int64_t pooled = pooled_next(network, stage), row = size.width * stage->outputs;
        room.plane = larger(room.plane, row * size.height);
        if (pooled)
            room.band = larger(room.band, row * (band_rows(stage, size, pooled) + pooled));
        if (stage->step)
            room.tiles = larger(room.tiles, tiles_room(stage->channels, stage->outputs, stage->side, stage->step));
    }
    return (Room){whole_lines(room.plane), whole_lines(room.band), room.tiles};
}

/* Floats that a picture of this size needs during a call. */
int64_t network_room(const Network *network, int64_t height, int64_t width) {
    Room room = room_of(network, (Size){height, width});
    return 2 * room.plane + room.band + room.tiles;
}

/* The height and the width of each stage's outputs. */
void network_sizes(const Network *network, int64_t height, int64_t width, int64_t *out) {
    Size size = folded_size(&network->folding, (Size){height, width});
    for (int64_t i = 0; i < network->count; i++) {
        size = convolved_size(network->stages + i, pooled_size(network->stages + i, size));
        out[2 * i] = size.height, out[2 * i + 1] = size.width;
    }
}

/* What becomes of features: they are stored, or, where there are `maps`, compared with those that are there. */
typedef struct {
    float *const *features, *const *maps;
    double *means;
} Taps;

/* What a call works on. `in`: the plane in use, `out`: the next. */
typedef struct {
    const Network *network;
    const uint8_t *pixels;
    Size picture;
    float *in, *out, *band, *tiles;
} Pass;

/* Some rows of a stage's outputs, as features. */
static void tap_rows(const Stage *stage, Size size, int64_t first, int64_t rows, const float *plane,
                     const Taps *taps) {
    int64_t before = first * size.width, count = rows * size.width, channels = stage->outputs;
    float *features = *taps->features + before * channels;
    if (taps->maps)
        *taps->means += compare_features(plane, count, channels, stage->gains, features, *taps->maps + before) /
                        (size.height * size.width);
    else
        take_features(plane, count, channels, stage->gains, features);
}

/* Some rows of a stage's outputs; `in`: the size of its inputs. −1 without memory. */
static int convolve_rows(const Pass *pass, const Stage *stage, Size in, int64_t first, int64_t rows,
                         float *out) {
    if (!stage->step)
        return convolve(pass->in, in.height, in.width, stage->channels, stage->weights, stage->bias,
                        stage->outputs, stage->side, 1, stage->border, out);
    TiledConvolution by = {pass->in,    in.height,      in.width,    stage->channels, stage->weights,
                           stage->bias, stage->outputs, stage->side, stage->border,   stage->step};
    convolve_tile_rows(&by, first / stage->step, (rows + stage->step - 1) / stage->step, pass->network->lanes,
                       pass->tiles, out);
    return 0;
}

/* A stage's outputs, or, if the next stage takes the largest of them, these; they are features on the way. −1
 * without memory. */
static int run_stage(const Pass *pass, const Stage *stage, Size in, const Taps *taps) {
    Size size = convolved_size(stage, in);
    int64_t pooled = pooled_next(pass->network, stage), row = size.width * stage->outputs;
    int64_t at_once = band_rows(stage, size, pooled), kept = 0, folded = 0;
    float *pooled_to = pass->out;
    for (int64_t first = 0; first < size.height; first += at_once) {
        int64_t rows = smaller(size.height - first, at_once);
        float *band = pooled ? pass->band + kept * row : pass->out;
        if (stage == pass->network->stages) {
            int64_t seen = rows < at_once ? in.height : smaller(first + at_once + stage->side - 1, in.height);
            fold_levels(pass->pixels, pass->picture, &pass->network->folding, folded, seen, pass->in);
            folded = seen;
        }
        if (convolve_rows(pass, stage, in, first, rows, band))
            return -1;
        if (stage->gains)
            tap_rows(stage, size, first, rows, band, taps);
        if (!pooled)
            continue;
        kept += rows;
        int64_t done = kept >= pooled ? (kept - pooled) / 2 + 1 : 0;
        pool_largest(pass->band, kept, size.width, stage->outputs, pooled, pooled_to);
        pooled_to += done * ((size.width - pooled) / 2 + 1) * stage->outputs;
        kept -= 2 * done;
        memmove(pass->band, pass->band + 2 * done * row, kept * row * sizeof(float));
    }
    return 0;
}

/* The features of a picture at each stage that has gains: into `features`, or, where there are `maps`, their
 * distances from these features at each pixel, and their means. `room`: as many floats as `network_room` says,
 * aligned to 64 bytes. −1 without memory. */
int run_network(const Network *network, const uint8_t *pixels, int64_t height, int64_t width, float *room,
                float *const *features, float *const *maps, double *means) {
    Size picture = {height, width}, size = folded_size(&network->folding, picture);
    Room floats = room_of(network, picture);
    float *other = room + floats.plane, *band = other + floats.plane;
    Pass pass = {network, pixels, picture, room, other, band, band + floats.band};
    Taps taps = {features, maps, means};
    for (const Stage *stage = network->stages; stage < network->stages + network->count; stage++) {
        size = pooled_size(stage, size);
        if (maps && stage->gains)
            *taps.means = 0;
        if (run_stage(&pass, stage, size, &taps))
            return -1;
        size = convolved_size(stage, size);
        float *next = pass.out;
        pass.out = pass.in, pass.in = next;
        if (stage->gains)
            taps = (Taps){taps.features + 1, maps ? taps.maps + 1 : NULL, maps ? taps.means + 1 : NULL};
    }
    return 0;
}

#endif
