/* Base64 of RFC 4648, twelve bits at a time: pictures are sent to judges in it. */

#include <stdint.h>
#include <string.h>

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

typedef struct {
    char of[4096][2];
} Pairs;

static void fill(Pairs *pairs) {
    for (int bits = 0; bits < 4096; bits++) {
        pairs->of[bits][0] = LETTERS[bits >> 6];
        pairs->of[bits][1] = LETTERS[bits & 63];
    }
}

/* Writes 4 letters for every 3 bytes begun. */
void base64_encode(const uint8_t *restrict data, int64_t length, char *restrict text) {
    Pairs pairs;
    fill(&pairs);
    int64_t whole = length / 3 * 3;
    for (int64_t i = 0; i < whole; i += 3, text += 4) {
        uint32_t bits = (uint32_t)data[i] << 16 | (uint32_t)data[i + 1] << 8 | data[i + 2];
        memcpy(text, pairs.of[bits >> 12], 2);
        memcpy(text + 2, pairs.of[bits & 4095], 2);
    }
    if (whole == length) return;
    uint32_t bits = (uint32_t)data[whole] << 16;
    if (length - whole == 2) bits |= (uint32_t)data[whole + 1] << 8;
    memcpy(text, pairs.of[bits >> 12], 2);
    memcpy(text + 2, pairs.of[bits & 4095], 2);
    if (length - whole == 1) text[2] = '=';
    text[3] = '=';
}
