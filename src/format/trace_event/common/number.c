#include "format/trace_event/common/number.h"

#include "base/attr.h"

/* The parts of a decimal number: [sign] whole [. fraction] [e exponent]. */
typedef struct Decimal {
    const uint8_t *whole, *fraction, *exponent_text; /* exponent_text: from its 'e'; borrowed */
    size_t         whole_size, fraction_size, exponent_size;
    int64_t        exponent;
    bool           negative;
    bool           odd;
} Decimal;

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_at(const uint8_t *text, const uint8_t *end)
{
    size_t count = 0;
    while (text + count < end && is_digit(text[count]))
        count++;
    return count;
}

enum { EXPONENT_LIMIT = 1000000000 }; /* exceeds the number of digits that a record can have */

static bool exponent_parse(const uint8_t *at, const uint8_t *end, Decimal *decimal)
{
    bool negative = false;
    decimal->exponent_text = at++;
    if (at < end && (*at == '-' || *at == '+')) negative = *at++ == '-';
    if (at == end || digits_at(at, end) != (size_t)(end - at)) return false;
    for (; at < end; at++) {
        if (decimal->exponent < EXPONENT_LIMIT) decimal->exponent = decimal->exponent * 10 + (*at - '0');
    }
    if (negative) decimal->exponent = -decimal->exponent;
    decimal->exponent_size = (size_t)(end - decimal->exponent_text);
    return true;
}

static bool decimal_parse(const uint8_t *text, size_t size, Decimal *decimal)
{
    const uint8_t *at = text, *end = text + size;
    *decimal = (Decimal){ 0 };
    if (at < end && (*at == '-' || *at == '+')) {
        decimal->negative = *at == '-';
        decimal->odd = *at == '+';
        at++;
    }
    decimal->whole = at;
    decimal->whole_size = digits_at(at, end);
    at += decimal->whole_size;
    if (decimal->whole_size == 0 || (decimal->whole_size > 1 && *decimal->whole == '0')) decimal->odd = true;
    decimal->fraction = at;
    if (at < end && *at == '.') {
        decimal->fraction = ++at;
        decimal->fraction_size = digits_at(at, end);
        at += decimal->fraction_size;
        if (decimal->fraction_size == 0) decimal->odd = true;
    }
    if (decimal->whole_size + decimal->fraction_size == 0) return false;
    if (at == end) return true;
    return (*at == 'e' || *at == 'E') && exponent_parse(at, end, decimal);
}

/* Returns digit `i` of whole and fraction together, from the left; 0 outside of them. */
static unsigned decimal_digit(const Decimal *decimal, int64_t i)
{
    int64_t whole_size = (int64_t)decimal->whole_size;
    if (i < 0 || i >= whole_size + (int64_t)decimal->fraction_size) return 0;
    uint8_t c = i < whole_size ? decimal->whole[i] : decimal->fraction[i - whole_size];
    return (unsigned)(c - '0');
}

static int64_t decimal_first_nonzero(const Decimal *decimal)
{
    int64_t count = (int64_t)(decimal->whole_size + decimal->fraction_size);
    int64_t i = 0;
    while (i < count && decimal_digit(decimal, i) == 0)
        i++;
    return i; /* equal to the count: the number is zero */
}

static bool decimal_is_zero(const Decimal *decimal)
{
    return decimal_first_nonzero(decimal) == (int64_t)(decimal->whole_size + decimal->fraction_size);
}

/* Sets *value to the digits before position `point`, as an integer. False if it does not fit. */
static bool decimal_digits_before(const Decimal *decimal, int64_t point, uint64_t *value)
{
    *value = 0;
    int64_t first = decimal_first_nonzero(decimal);
    if (point - first > 20) return false;
    for (int64_t i = first; i < point; i++) {
        unsigned digit = decimal_digit(decimal, i);
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

/* Reads the common spelling of an integer, digits alone. False: it has another one. */
static bool plain_integer(const uint8_t *text, size_t size, uint64_t *magnitude)
{
    enum { MOST_DIGITS = 19 }; /* below 2^64 */
    uint64_t value = 0;
    if (size == 0 || size > MOST_DIGITS || (size > 1 && text[0] == '0')) return false;
    for (size_t i = 0; i < size; i++) {
        if (!is_digit(text[i])) return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *magnitude = value;
    return true;
}

/* Reads a number of units of 10^exponent ns in any spelling. */
static NumberResult scaled_any(const uint8_t *text, size_t size, unsigned exponent, FineTime *time)
{
    Decimal decimal;
    if (!decimal_parse(text, size, &decimal)) return NUMBER_INVALID;
    NumberResult done = decimal.odd ? NUMBER_ODD : NUMBER_OK;
    if (decimal_is_zero(&decimal)) return done;
    int64_t  ns_point = (int64_t)decimal.whole_size + decimal.exponent + exponent;
    uint64_t ns;
    if (!decimal_digits_before(&decimal, ns_point, &ns)) return NUMBER_OUT_OF_RANGE;
    unsigned ps = 0;
    for (int64_t i = ns_point; i < ns_point + 3; i++)
        ps = ps * 10 + decimal_digit(&decimal, i);
    if (decimal_digit(&decimal, ns_point + 3) >= 5) ps++;
    if (ps == 1000) {
        ps = 0;
        ns++;
    }
    if (ns > (uint64_t)INT64_MAX - 1) return NUMBER_OUT_OF_RANGE;
    time->ns = decimal.negative ? -(int64_t)ns : (int64_t)ns;
    time->ps = (int32_t)ps;
    if (decimal.negative && ps > 0) {
        time->ns--;
        time->ps = (int32_t)(1000 - ps);
    }
    return done;
}

NumberResult number_micros(const uint8_t *text, size_t size, FineTime *time)
{
    enum { SAFE_DIGITS = 15 }; /* no product is out of range */
    uint64_t micros;
    *time = (FineTime){ 0 };
    if (LIKELY(size <= SAFE_DIGITS) && plain_integer(text, size, &micros)) {
        time->ns = (int64_t)(micros * 1000);
        return NUMBER_OK;
    }
    return scaled_any(text, size, 3, time);
}

NumberResult number_scaled(const uint8_t *text, size_t size, unsigned exponent, FineTime *time)
{
    enum { SAFE_DIGITS = 18 };
    uint64_t value;
    *time = (FineTime){ 0 };
    if (LIKELY(size + exponent <= SAFE_DIGITS) && plain_integer(text, size, &value)) {
        for (unsigned i = 0; i < exponent; i++)
            value *= 10;
        time->ns = (int64_t)value;
        return NUMBER_OK;
    }
    return scaled_any(text, size, exponent, time);
}

bool fine_time_add(FineTime a, FineTime b, FineTime *sum)
{
    int32_t ps = a.ps + b.ps;
    int64_t carry = ps >= 1000 ? 1 : 0;
    if (b.ns >= 0 ? a.ns > INT64_MAX - 1 - b.ns : a.ns < INT64_MIN - b.ns) return false;
    *sum = (FineTime){ a.ns + b.ns + carry, ps - (int32_t)(carry * 1000) };
    return true;
}

int64_t fine_time_round(FineTime time)
{
    bool up = time.ns >= 0 ? time.ps >= 500 : time.ps > 500;
    return up && time.ns < INT64_MAX ? time.ns + 1 : time.ns;
}

NumberResult number_integer(const uint8_t *text, size_t size, bool *negative, uint64_t *magnitude)
{
    Decimal decimal;
    *negative = false;
    *magnitude = 0;
    if (LIKELY(plain_integer(text, size, magnitude))) return NUMBER_OK;
    if (!decimal_parse(text, size, &decimal)) return NUMBER_INVALID;
    NumberResult done = decimal.odd ? NUMBER_ODD : NUMBER_OK;
    if (decimal_is_zero(&decimal)) return done;
    int64_t point = (int64_t)decimal.whole_size + decimal.exponent;
    int64_t count = (int64_t)(decimal.whole_size + decimal.fraction_size);
    for (int64_t i = point > 0 ? point : 0; i < count; i++) {
        if (decimal_digit(&decimal, i) != 0) return NUMBER_INVALID;
    }
    if (!decimal_digits_before(&decimal, point, magnitude)) return NUMBER_OUT_OF_RANGE;
    *negative = decimal.negative;
    return done;
}

bool number_append_json(const uint8_t *text, size_t size, Bytes *out)
{
    Decimal decimal;
    if (!decimal_parse(text, size, &decimal)) return false;
    if (!decimal.odd) {
        bytes_append(out, text, size);
        return true;
    }
    if (decimal.negative) bytes_append_text(out, "-");
    while (decimal.whole_size > 1 && *decimal.whole == '0') {
        decimal.whole++;
        decimal.whole_size--;
    }
    if (decimal.whole_size == 0) bytes_append_text(out, "0");
    bytes_append(out, decimal.whole, decimal.whole_size);
    if (decimal.fraction_size > 0) bytes_append_text(out, ".");
    bytes_append(out, decimal.fraction, decimal.fraction_size);
    bytes_append(out, decimal.exponent_text, decimal.exponent_size);
    return true;
}
