#include "format/heph/types.h"

#include "format/heph/packet.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define EXPONENT_BITS UINT64_C(0x7ff0000000000000)
#define SIGN_BIT (UINT64_C(1) << 63)

static const char *const NAMES[HEPH_TYPES] = { "u64",   "i64",   "f64",   "string",
                                               "u64[]", "i64[]", "f64[]", "string[]" };

const char *heph_type_name(uint8_t type)
{
    return NAMES[heph_type_index(type)];
}

uint8_t heph_type_named(StringView name)
{
    for (unsigned i = 0; i < HEPH_TYPES; i++) {
        if (string_equal(name, c_string_view(NAMES[i]))) return heph_type_at(i);
    }
    return 0;
}

bool heph_is_nan(uint64_t bits)
{
    return (bits & EXPONENT_BITS) == EXPONENT_BITS && (bits & ~(EXPONENT_BITS | SIGN_BIT)) != 0;
}

void heph_double_write(JsonWriter *w, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) {
        json_double(w, value);
    } else {
        json_string(w, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
    }
}

bool heph_double_read(StringView text, uint64_t *bits)
{
    if (string_equal(text, STRING_LITERAL("Infinity"))) {
        *bits = EXPONENT_BITS;
    } else if (string_equal(text, STRING_LITERAL("-Infinity"))) {
        *bits = EXPONENT_BITS | SIGN_BIT;
    } else if (string_equal(text, STRING_LITERAL("NaN"))) {
        *bits = HEPH_NAN_BITS;
    } else {
        return false;
    }
    return true;
}

void heph_nan_bits_write(JsonWriter *w, uint64_t bits)
{
    json_string_printf(w, "0x%016" PRIx64, bits);
}

bool heph_nan_bits_read(StringView text, uint64_t *bits)
{
    static const char DIGITS[] = "0123456789abcdef";
    enum { PREFIX = 2, DIGIT_COUNT = 16 };
    if (text.size != PREFIX + DIGIT_COUNT || memcmp(text.bytes, "0x", PREFIX) != 0) return false;
    *bits = 0;
    for (size_t i = PREFIX; i < text.size; i++) {
        const char *digit = memchr(DIGITS, text.bytes[i], sizeof DIGITS - 1);
        if (digit == NULL) return false;
        *bits = *bits << 4 | (uint64_t)(digit - DIGITS);
    }
    return heph_is_nan(*bits);
}
