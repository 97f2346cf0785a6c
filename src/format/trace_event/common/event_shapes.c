#include "format/trace_event/common/event_shapes.h"

#include "base/bits.h"
#include "base/block16.h"
#include "base/hash.h"

#include <string.h>

/* The compiler can make functions for AVX2 and BMI2. The processor is asked for them at run time. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX2
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#include <immintrin.h>
#endif

/* The instructions for comparisons. */
typedef enum { BY_16_BYTES, BY_32_BYTES } BlockWidth;

/* -- numbers in the common spelling -- */

/* Returns a word with the highest bit of each byte that is not a digit. */
static inline uint64_t other_bytes(uint64_t bytes)
{
    const uint64_t digits = bytes ^ 0x3030303030303030u;
    return (((digits & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/* Returns the number of digits at the start of eight bytes, the lowest byte first. */
static inline unsigned digits_in_u64(uint64_t bytes)
{
    const uint64_t others = other_bytes(bytes);
    return others == 0 ? 8 : bits_lowest_u64(others) / 8;
}

/* Returns the number whose first digits are the values of eight bytes. `shift` moves them to the end, so that zeros precede them. */
static inline uint64_t shifted_value(uint64_t digits, unsigned shift)
{
    digits = (digits << shift) * (10 << 8 | 1) >> 8; /* pairs, in bytes 0, 2, 4, 6 */
    digits = (digits & 0x00ff00ff00ff00ffu) * (100 << 16 | 1) >> 16;
    return (digits & 0x0000ffff0000ffffu) * ((uint64_t)10000 << 32 | 1) >> 32;
}

/* The same for the first `count` (1..8) digits. */
static inline uint64_t digits_value(uint64_t bytes, unsigned count)
{
    return shifted_value(bytes ^ 0x3030303030303030u, 64 - 8 * count);
}

static inline bool ends_number(uint8_t c)
{
    return c == ',' || c == '}' || c <= ' ';
}

static const uint64_t POWERS_OF_10[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };

/* Reads digits at `at` after the number `whole`, which has eight digits or is 0 without any; at most 15 digits
 * altogether. Returns the byte after them, or NULL. */
static inline const uint8_t *quick_digits(const uint8_t *at, uint64_t *whole)
{
    const uint64_t bytes = bits_load_u64(at);
    const unsigned count = digits_in_u64(bytes);
    if (UNLIKELY(count == 8)) return NULL;
    if (count > 0) *whole = *whole * POWERS_OF_10[count] + digits_value(bytes, count);
    return at + count;
}

/* Sets *place to that of a number, which begins in the eight bytes or before: an integer, or with one to three decimals. Returns
 * false if they contain another form of number, or not all of it. */
static NOINLINE bool find_point(uint64_t bytes, PointPlace *place)
{
    const uint64_t others = other_bytes(bytes), rest = others & (others - 1);
    if (others == 0) return false;
    const unsigned point = bits_lowest_u64(others) / 8;
    unsigned       stop = point, decimals = 0;
    if ((uint8_t)(bytes >> 8 * point) == '.') {
        if (rest == 0) return false;
        stop = bits_lowest_u64(rest) / 8;
        decimals = stop - point - 1;
        if (decimals == 0 || decimals > 3) return false;
    }
    const unsigned count = point + decimals;
    if (count == 0 || !ends_number((uint8_t)(bytes >> 8 * stop))) return false;
    const uint64_t two = (uint64_t)0xff << 8 * point | (uint64_t)0xff << 8 * stop;
    const uint64_t digits = (((uint64_t)1 << 8 * stop) - 1) & ~two;
    place->zeros = (bytes & two) | (0x3030303030303030u & digits);
    place->limits = (0x7f7f7f7f7f7f7f7fu & two) | (0x7676767676767676u & digits);
    place->highest = 0x8080808080808080u & (two | digits);
    place->before = ((uint64_t)1 << 8 * point) - 1;
    place->power = POWERS_OF_10[count];
    place->decimal_power = decimals == 0 ? 1000 : POWERS_OF_10[3 - decimals];
    place->shift = (uint8_t)(64 - 8 * count);
    place->stop = (uint8_t)stop;
    return true;
}

/* True if eight bytes are those of a number with this place; `values` is their exclusive or with place->zeros. */
static inline bool point_fits(const PointPlace *place, uint64_t values)
{
    return (((values + place->limits) | values) & place->highest) == 0;
}

/* Returns the ns of a number of microseconds that point_fits. Its digits follow those of `whole`. */
static inline int64_t point_value(const PointPlace *place, uint64_t values, uint64_t whole)
{
    const uint64_t digits = (values & place->before) | (values >> 8 & ~place->before); /* without the point */
    return (int64_t)((whole * place->power + shifted_value(digits, place->shift)) * place->decimal_power);
}

/* Reads decimals at `at`, after the point: up to six of microseconds, of which the last three are zeros ("%f" writes
 * six). Adds them to *ns. Returns the byte after them, or NULL. */
static inline const uint8_t *quick_decimals(const uint8_t *at, int64_t *ns)
{
    const uint64_t bytes = bits_load_u64(at);
    const unsigned count = digits_in_u64(bytes);
    if (count == 0 || count > 6) return NULL;
    uint64_t fraction = digits_value(bytes, count);
    if (count <= 3) {
        fraction *= POWERS_OF_10[3 - count];
    } else {
        const uint64_t unit = POWERS_OF_10[count - 3];
        if (fraction % unit != 0) return NULL;
        fraction /= unit;
    }
    *ns += (int64_t)fraction;
    return at + count;
}

/* -- links -- */

/* The form of the value after a link. */
typedef enum {
    FORM_END, /* no value: the event ends with the link */
    FORM_MICROS,
    FORM_INTEGER,
    FORM_PHASE,  /* one character and its closing quote */
    FORM_STRING, /* the opening quote is part of the link, like the brackets of containers */
    FORM_CONTAINER,
    FORM_ANY
} ValueForm;

/* SHAPED_BYTES: the most bytes that are read without a check, a link and a number. */
enum { SHAPED_BYTES = LINK_BYTES + 40 };

static ValueForm form_of(const EventMember *member)
{
    switch (member->value.kind) {
    case JSON_NOTHING:
        return FORM_END;
    case JSON_STRING:
        return member->key == KEY_PH ? FORM_PHASE : FORM_STRING;
    case JSON_OBJECT:
    case JSON_ARRAY:
        return FORM_CONTAINER;
    case JSON_NUMBER:
    case JSON_WORD:
        break;
    }
    if (member->key == KEY_PID || member->key == KEY_TID) return FORM_INTEGER;
    return member->key < KEY_NUMBER_COUNT ? FORM_MICROS : FORM_ANY;
}

/* Sets *number to an integer in the common spelling: at most 15 digits without leading zeros. */
static bool common_integer(const JsonValue *value, int64_t *number)
{
    if (value->kind != JSON_NUMBER || value->size > 15 || (value->size > 1 && value->at[0] == '0'))
        return false;
    *number = 0;
    for (size_t i = 0; i < value->size; i++) {
        if (value->at[i] < '0' || value->at[i] > '9') return false;
        *number = *number * 10 + (value->at[i] - '0');
    }
    return true;
}

/* True if RawEvent.phase can be this character. */
static inline bool is_letter(uint8_t c)
{
    return c != 0 && c < 0x80;
}

/* True if values of the key may be part of a link; sets *number if it is one. */
static bool is_steady(const EventShapes *shapes, const EventMember *member, int64_t *number)
{
    const JsonValue *value = &member->value;
    if (member->key >= KEY_COUNT || (shapes->changing >> member->key & 1) != 0) return false;
    switch (member->key) {
    case KEY_PH:
        return value->kind == JSON_STRING && value->size == 1 && is_letter(value->at[0]);
    case KEY_CAT:
    case KEY_S:
    case KEY_BP:
        return value->kind == JSON_STRING && !value->escaped;
    case KEY_PID:
    case KEY_TID:
        return common_integer(value, number);
    case KEY_DUR: /* Node.js writes "dur":0,"tdur":0 in every event */
    case KEY_TDUR:
        return common_integer(value, number) && *number == 0;
    case KEY_ARGS:
        return json_is(value, JSON_OBJECT, "{}");
    default:
        return false;
    }
}

/* Notes the bits of a value in the link or after it. */
static void link_set_bits(EventLink *link, EventKey key, bool is_quick)
{
    if (key >= KEY_COUNT) return;
    const uint64_t quick = (uint64_t)1 << key;
    link->set = (link->set & ~quick) | quick << 32 | (is_quick ? quick : 0);
}

/* Adds a member to the link that begins at `from`. False: it is not part of a link. */
static bool link_include(const EventShapes *shapes, EventLink *link, const uint8_t *from,
                         const EventMember *member)
{
    enum { LONGEST_KEY = 16 }; /* for the key after it */
    const JsonValue *value = &member->value;
    int64_t          number = 0;
    if (link->value_count == LINK_VALUES || !is_steady(shapes, member, &number)) return false;
    if ((size_t)(value->at - from) + value->size > LINK_BYTES - LONGEST_KEY) return false;
    link->values[link->value_count++] = (LinkValue){ .key = (uint8_t)member->key,
                                                     .kind = (uint8_t)value->kind,
                                                     .offset = (uint8_t)(value->at - from),
                                                     .size = (uint8_t)value->size,
                                                     .number = number };
    link_set_bits(link, member->key, value->kind == JSON_NUMBER || member->key == KEY_PH);
    return true;
}

static bool same_bytes(const EventLink *a, const EventLink *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Puts `link` at the front of the links that follow `before`. */
static void link_follow(EventLink *before, EventLink *link)
{
    size_t i = 0;
    while (i < LINK_NEXT - 1 && before->next[i] != link)
        i++;
    memmove(before->next + 1, before->next, i * sizeof before->next[0]);
    before->next[0] = link;
}

/* Returns the place of a link: its own, a free one, or that of another link. */
static EventLink *link_place(EventShapes *shapes, const EventLink *made, bool is_first)
{
    enum { TRIES = 8 };
    /* The first links are apart, because a brace is an error after a value. */
    EventLink *const all = is_first ? shapes->links : shapes->links + LINK_FIRSTS;
    const uint64_t   count = is_first ? LINK_FIRSTS : LINK_COUNT - LINK_FIRSTS;
    const uint64_t   hash = hash_bytes(made->bytes, made->size, 0);
    for (uint64_t i = 0; i < TRIES; i++) {
        EventLink *link = &all[(hash + i) % count];
        if (link->size == 0 || same_bytes(link, made)) return link;
    }
    return &all[hash % count];
}

/* Counts the values that differ from those in the link that followed `before` lately. A key that changes too often is
 * excluded from links, and the links are forgotten. */
static void count_changes(EventShapes *shapes, const EventLink *before, const EventLink *made)
{
    enum { CHANGES = 64, EVENTS_PER_CHANGE = 16 };
    const EventLink *latest = before->next[0];
    for (size_t i = 0; latest != NULL && i < made->value_count; i++) {
        const LinkValue *value = &made->values[i], *old = &latest->values[i];
        if (i >= latest->value_count || old->key != value->key) return;
        if (old->size == value->size &&
            memcmp(latest->bytes + old->offset, made->bytes + value->offset, value->size) == 0)
            continue;
        if (++shapes->changes[value->key] <= CHANGES + shapes->event_count / EVENTS_PER_CHANGE) continue;
        *shapes = (EventShapes){ .changing = shapes->changing | 1u << value->key };
        return;
    }
}

/* Sets the members by which link_note notes the values of the link. */
static void link_prepare_notes(EventLink *link)
{
    const uint32_t head = 1u << KEY_PH | 1u << KEY_PID | 1u << KEY_TID;
    uint32_t       found = 0;
    for (size_t i = 0; i < link->value_count; i++) {
        const LinkValue *value = &link->values[i];
        found |= 1u << value->key;
        if (value->key == KEY_PH) link->phase = link->bytes[value->offset];
        if (value->key == KEY_PID || value->key == KEY_TID) link->ids[value->key - KEY_PID] = value->number;
    }
    link->notes = NOTES_ANY;
    if (found == 0) link->notes = NOTES_NONE;
    if (found == head) link->notes = NOTES_HEAD; /* of equal keys the last is used */
    if (link->value_count == 1 && link->values[0].key != KEY_PH && link->values[0].kind == JSON_STRING)
        link->notes = NOTES_TEXT;
}

/* Stores the link of `size` bytes from `from`, which followed `before` and precedes the member. Returns it. */
static EventLink *link_add(EventShapes *shapes, EventLink *before, EventLink *made, const uint8_t *from,
                           const EventMember *member)
{
    made->key = (uint8_t)member->key;
    made->form = (uint8_t)form_of(member);
    link_set_bits(made, member->key,
                  made->form == FORM_MICROS || made->form == FORM_INTEGER || made->form == FORM_PHASE);
    made->kept = ~(made->set >> 32);
    made->digits = 1;                                  /* with a mask of 0: no text is equal */
    made->point.limits = made->point.highest = 1 << 7; /* no text fits */
    const bool   is_bracket = made->form == FORM_CONTAINER || made->form == FORM_END;
    const size_t size = (size_t)(member->value.at - from) + (is_bracket ? 1 : 0);
    if (size > LINK_BYTES || member->key == KEY_TRACE_EVENTS) {
        shapes->other = (EventLink){ .form = made->form };
        return &shapes->other;
    }
    memcpy(made->bytes, from, size);
    made->size = (uint8_t)size;
    memset(made->rest + size, 0xff, LINK_BYTES - size);
    link_prepare_notes(made);
    count_changes(shapes, before, made);
    EventLink *link = link_place(shapes, made, before == &shapes->begin);
    if (!same_bytes(link, made)) *link = *made;
    link_follow(before, link);
    return link;
}

/* Reads members in any spelling from *at, which is after the link `before` and its value, to a value that is not part of
 * a link, or to the end of the event. Sets *at to the byte after them. Stores the link and returns it. */
static EventLink *link_learn(EventShapes *shapes, EventLink *before, const uint8_t **at, const uint8_t *end,
                             RawEvent *event, JsonScan *result)
{
    const uint8_t *const from = *at;
    EventLink            made = { 0 };
    EventMember          member;
    do {
        *result = event_next_member(before == &shapes->begin ? from : NULL, *at, end, event, &member, at);
        if (*result != JSON_SCAN_DONE) return before;
        if (member.value.kind == JSON_NOTHING) {
            member = (EventMember){ .key = KEY_OTHER, .value.at = *at };
            (*at)++; /* the brace */
        }
    } while (link_include(shapes, &made, from, &member));
    if (LIKELY(!event->comments)) return link_add(shapes, before, &made, from, &member);
    shapes->other = (EventLink){ .form = (uint8_t)form_of(&member) }; /* comments are reported */
    return &shapes->other;
}

/* Compares 16 bytes from byte `i` of the link on. */
static inline Block16 link_block(const EventLink *link, const uint8_t *at, size_t i)
{
    return block_or(block_same(block_load(at + i), block_load(link->bytes + i)), block_load(link->rest + i));
}

static inline bool link_fits_by_16(const EventLink *link, const uint8_t *at)
{
    static_assert(LINK_BYTES == 64, "four blocks");
    return block_mask(block_and(block_and(link_block(link, at, 0), link_block(link, at, 16)),
                                block_and(link_block(link, at, 32), link_block(link, at, 48)))) == 0xffff;
}

#ifdef HAS_AVX2
FOR_AVX2 static inline __m256i load_32(const uint8_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* Compares 32 bytes from byte `i` of the link on. */
FOR_AVX2 static inline __m256i link_block_32(const EventLink *link, const uint8_t *at, size_t i)
{
    return _mm256_or_si256(_mm256_cmpeq_epi8(load_32(at + i), load_32(link->bytes + i)),
                           load_32(link->rest + i));
}

FOR_AVX2 static inline bool link_fits_by_32(const EventLink *link, const uint8_t *at)
{
    return _mm256_movemask_epi8(_mm256_and_si256(link_block_32(link, at, 0), link_block_32(link, at, 32))) ==
           -1;
}
#endif

/* True if the bytes at `at` are those of the link. Reads LINK_BYTES bytes, without branches. */
static ALWAYS_INLINE bool link_fits(const EventLink *link, const uint8_t *at, BlockWidth width)
{
#ifdef HAS_AVX2
    if (width == BY_32_BYTES) return link_fits_by_32(link, at);
#endif
    (void)width;
    return link_fits_by_16(link, at);
}

/* Returns the place of the guess at a link that follows `before` and has this byte at guess_at. */
static inline EventLink **guess_place(EventLink *before, uint8_t byte)
{
    return &before->guesses[byte % LINK_GUESSES];
}

/* Makes `link` the guess for its bytes. If it has the place of another link, the two are guessed by a byte that differs. */
static void guess_again(EventLink *before, EventLink *link)
{
    EventLink *const other = *guess_place(before, link->bytes[before->guess_at]);
    if (other != NULL && other != link) {
        size_t i = 0;
        while (i < link->size && i < other->size && (link->bytes[i] ^ other->bytes[i]) % LINK_GUESSES == 0)
            i++;
        if (i < link->size && i < other->size) {
            before->guess_at = (uint8_t)i;
            memset(before->guesses, 0, sizeof before->guesses);
            *guess_place(before, other->bytes[i]) = other;
        }
    }
    *guess_place(before, link->bytes[before->guess_at]) = link;
}

/* Returns the link at `at`, which follows `before` but is not the guess; NULL if it is not known. */
static NOINLINE EventLink *link_search(EventLink *before, const uint8_t *at)
{
    for (size_t i = 0; i < LINK_NEXT && before->next[i] != NULL; i++) {
        if (!link_fits_by_16(before->next[i], at)) continue;
        guess_again(before, before->next[i]);
        return before->next[i];
    }
    return NULL;
}

/* Returns the link at `at`, which follows `before`; NULL if it is not known. */
static ALWAYS_INLINE EventLink *link_next(EventLink *before, const uint8_t *at, BlockWidth width)
{
    EventLink *guess = *guess_place(before, at[before->guess_at]);
    if (LIKELY(guess != NULL && link_fits(guess, at, width))) return guess;
    return link_search(before, at);
}

static void note_any(const EventLink *link, const uint8_t *at, RawEvent *event)
{
    for (size_t i = 0; i < link->value_count; i++) {
        const LinkValue *value = &link->values[i];
        if (value->key == KEY_PH)
            event->phase = at[value->offset];
        else if (value->kind == JSON_NUMBER)
            event->number[value->key] = value->number;
        else
            event->value[value->key] =
                (JsonValue){ at + value->offset, value->size, (JsonKind)value->kind, false };
    }
}

/* Notes the values in the link at `at`. The caller notes which ones they are. */
static ALWAYS_INLINE void link_note(const EventLink *link, const uint8_t *at, RawEvent *event)
{
    if (link->notes == NOTES_NONE) return;
    if (link->notes == NOTES_HEAD) {
        event->phase = link->phase;
        memcpy(&event->number[KEY_PID], link->ids, sizeof link->ids);
    } else if (link->notes == NOTES_TEXT) {
        const LinkValue *value = &link->values[0];
        event->value[value->key] = (JsonValue){ at + value->offset, value->size, JSON_STRING, false };
    } else {
        note_any(link, at, event);
    }
}

/* -- values -- */

/* Returns a mask of the first `count` (1..8) bytes of eight. */
static inline uint64_t first_bytes(unsigned count)
{
    return UINT64_MAX >> (64 - 8 * count);
}

/* Reads microseconds whose digits are in other places than those of the latest ones of the link, and notes these places. Returns
 * the byte after them, or NULL. */
static NOINLINE const uint8_t *micros_in_new_place(EventLink *link, const uint8_t *at, int64_t *ns)
{
    PointPlace *const place = &link->point;
    const uint64_t    bytes = bits_load_u64(at);
    const unsigned    count = digits_in_u64(bytes);
    uint64_t          whole = 0;
    if (count == 0 || (count > 1 && *at == '0')) return NULL;
    if (count == 8) {
        whole = digits_value(bytes, count);
        link->digits_mask = UINT64_MAX;
        link->digits = bytes;
        link->number = (int64_t)whole;
        at += count;
    }
    const uint64_t last = bits_load_u64(at);
    if (find_point(last, place)) {
        *ns = point_value(place, last ^ place->zeros, whole);
        return at + place->stop;
    }
    at = quick_digits(at, &whole);
    if (at == NULL) return NULL;
    *ns = (int64_t)whole * 1000;
    if (*at == '.') {
        at = quick_decimals(at + 1, ns);
        if (at == NULL) return NULL;
    }
    return ends_number(*at) ? at : NULL;
}

/* Reads microseconds as ns: digits, one to three decimals if there is a point, and the byte after them. Returns the byte after the
 * number, or NULL. */
static inline const uint8_t *quick_micros(EventLink *link, const uint8_t *at, int64_t *ns)
{
    const PointPlace *place = &link->point;
    const uint8_t    *last = at;
    uint64_t          bytes = bits_load_u64(at), whole = 0;
    if ((bytes & link->digits_mask) == link->digits) {
        whole = (uint64_t)link->number;
        last += 8;
        bytes = bits_load_u64(last);
    } else if (UNLIKELY(place->before != 0xff && (place->before == 0 || (uint8_t)bytes == '0'))) {
        return micros_in_new_place(link, at, ns); /* the first one of several digits is not 0 */
    }
    const uint64_t values = bytes ^ place->zeros;
    if (UNLIKELY(!point_fits(place, values))) return micros_in_new_place(link, at, ns);
    *ns = point_value(place, values, whole);
    return last + place->stop;
}

/* Reads an integer. Returns the byte after it, or NULL. */
static inline const uint8_t *quick_integer(EventLink *link, const uint8_t *at, int64_t *value)
{
    const uint64_t bytes = bits_load_u64(at);
    if ((bytes & link->digits_mask) == link->digits) {
        *value = link->number;
        return at + link->digit_count;
    }
    const unsigned count = digits_in_u64(bytes);
    if (count == 0 || (count > 1 && *at == '0')) return NULL;
    uint64_t       whole = digits_value(bytes, count);
    const uint8_t *stop = at + count;
    if (count == 8) stop = quick_digits(stop, &whole);
    if (stop == NULL || !ends_number(*stop)) return NULL;
    *value = (int64_t)whole;
    if (count == 8) return stop;
    link->digits_mask = first_bytes(count + 1);
    link->digits = bytes & link->digits_mask;
    link->digit_count = (uint8_t)count;
    link->number = (int64_t)whole;
    return stop;
}

/* Returns a bit for each quote and backslash in 32 bytes. */
static inline uint32_t quotes_by_16(const uint8_t *at)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < 32; i += 16) {
        const Block16 block = block_load(at + i);
        found |= block_mask(block_or(block_equal(block, '"'), block_equal(block, '\\'))) << i;
    }
    return (uint32_t)found;
}

#ifdef HAS_AVX2
FOR_AVX2 static inline uint32_t quotes_by_32(const uint8_t *at)
{
    const __m256i bytes = load_32(at);
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')),
                                                          _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'))));
}
#endif

/* Returns the first quote or backslash at `at`, or a later place before it. Reads 32 bytes. */
static ALWAYS_INLINE const uint8_t *near_quote(const uint8_t *at, BlockWidth width)
{
#ifdef HAS_AVX2
    const uint32_t found = width == BY_32_BYTES ? quotes_by_32(at) : quotes_by_16(at);
#else
    const uint32_t found = quotes_by_16(at);
    (void)width;
#endif
    return at + (found == 0 ? 32 : bits_lowest_u64(found));
}

/* Reads the string at `at`, after its quote. Returns the byte after it, or NULL. */
static ALWAYS_INLINE const uint8_t *string_take(const EventLink *link, const uint8_t *at, const uint8_t *end,
                                                RawEvent *event, BlockWidth width)
{
    const uint8_t *stop = near_quote(at, width);
    bool           escaped = false;
    if (UNLIKELY(*stop != '"')) {
        stop = block_find_quote(stop, end);
        if (UNLIKELY(stop == end)) return NULL;
        if (*stop == '\\' && json_scan_string(stop, end, &stop, &escaped) != JSON_SCAN_DONE) return NULL;
    }
    if (UNLIKELY(link->key >= KEY_COUNT))
        event->other_keys = true;
    else
        event->value[link->key] = (JsonValue){ at, (size_t)(stop - at), JSON_STRING, escaped };
    return stop + 1;
}

/* Reads the value at `at`, which follows the link, if it has the link's form, one with a value. Returns the byte after it, or NULL. */
static ALWAYS_INLINE const uint8_t *value_take(EventLink *link, const uint8_t *at, const uint8_t *end,
                                               RawEvent *event, BlockWidth width)
{
    const ValueForm form = (ValueForm)link->form;
    if (form == FORM_MICROS) return quick_micros(link, at, &event->number[link->key]);
    if (form == FORM_STRING) return string_take(link, at, end, event, width);
    if (form == FORM_INTEGER) return quick_integer(link, at, &event->number[link->key]);
    if (form != FORM_PHASE || UNLIKELY(at[1] != '"' || !is_letter(at[0]) || at[0] == '\\' || at[0] == '"'))
        return NULL;
    event->phase = at[0];
    return at + 2;
}

/* Reads a value at `at` of a form that value_take does not read, and notes it. Returns the byte after it, or NULL. */
static const uint8_t *value_take_any(const EventLink *link, const uint8_t *at, const uint8_t *end,
                                     RawEvent *event)
{
    const uint8_t *stop;
    JsonValue      value;
    if (link->form == FORM_STRING || link->form == FORM_PHASE) return NULL;
    if (link->form == FORM_CONTAINER) at--; /* its bracket */
    if (json_scan_value(at, end, &value, &stop) != JSON_SCAN_DONE) return NULL;
    event_note_member(event, (EventKey)link->key, &value);
    return stop;
}

/* Sets the event's bits: seen in the upper half, quick in the lower. */
static ALWAYS_INLINE void set_bits(RawEvent *event, uint64_t bits)
{
    event->seen = (uint32_t)(bits >> 32);
    event->quick = (uint32_t)bits;
}

/* Returns the first byte, from `at` on, at which no link is compared. */
static inline const uint8_t *end_of_shaped(const uint8_t *at, const uint8_t *end)
{
    return end - at > SHAPED_BYTES ? end - SHAPED_BYTES : at;
}

/* As event_parse_shaped. `shaped_end`: end_of_shaped of this event or of one before it. */
static ALWAYS_INLINE JsonScan parse(EventShapes *shapes, const uint8_t *at, const uint8_t *end,
                                    const uint8_t *shaped_end, RawEvent *event, const uint8_t **stop,
                                    BlockWidth width)
{
    EventLink *link = &shapes->begin;
    JsonScan   result = JSON_SCAN_DONE;
    uint64_t   bits = 0; /* those of the event, in a register */
    event_clear(event);
    shapes->event_count++;
    for (;;) { /* `at` is the opening brace, or after a value */
        EventLink *next = LIKELY(at < shaped_end) ? link_next(link, at, width) : NULL;
        if (LIKELY(next != NULL)) {
            const uint8_t *const value = at + next->size;
            link_note(next, at, event);
            bits = (bits & next->kept) | next->set;
            if (next->form == FORM_END) {
                at = value;
                break;
            }
            const uint8_t *behind = value_take(next, value, end, event, width);
            if (UNLIKELY(behind == NULL)) {
                behind = value_take_any(next, value, end, event);
                bits &= ~((uint64_t)1 << next->key);
            }
            if (LIKELY(behind != NULL)) {
                at = behind;
                link = next;
                continue;
            }
        }
        const uint8_t *learned = at; /* a copy, so that `at` can be in a register */
        set_bits(event, bits);
        link = link_learn(shapes, link, &learned, end, event, &result);
        at = learned;
        bits = (uint64_t)event->seen << 32 | event->quick;
        if (result != JSON_SCAN_DONE || link->form == FORM_END) break;
    }
    set_bits(event, bits);
    *stop = at;
    return result;
}

/* Returns the opening brace of the event after a comma and perhaps a line break; NULL: other bytes follow. */
static inline const uint8_t *next_in_run(const uint8_t *at, const uint8_t *end)
{
    if (UNLIKELY(end - at < 3 || at[0] != ',')) return NULL;
    if (at[1] == '{') return at + 1;
    return at[1] == '\n' && at[2] == '{' ? at + 2 : NULL;
}

static ALWAYS_INLINE JsonScan parse_run(EventShapes *shapes, EventRun *run, const uint8_t **stop,
                                        BlockWidth width)
{
    RawEvent             event;
    const uint8_t *const begin = run->at, *const end = run->end, *const limit = run->limit, *at = begin;
    const uint8_t *const shaped_end = end_of_shaped(begin, end);
    EventTaker *const    take = run->take;
    const EventPos       first = run->pos;
    uint64_t             number = first.event;
    JsonScan             result;
    for (;;) {
        const uint8_t *behind;
        result = parse(shapes, at, end, shaped_end, &event, &behind, width);
        if (UNLIKELY(result != JSON_SCAN_DONE)) {
            *stop = behind;
            break;
        }
        take(run->context, &event, (EventPos){ first.offset + (uint64_t)(at - begin), number++ }, behind);
        const uint8_t *next = next_in_run(behind, end);
        at = behind;
        if (UNLIKELY(next == NULL || next == limit)) break;
        at = next;
    }
    run->pos = (EventPos){ first.offset + (uint64_t)(at - begin), number };
    run->at = at;
    return result;
}

static NOINLINE JsonScan parse_by_16(EventShapes *shapes, const uint8_t *at, const uint8_t *end,
                                     RawEvent *event, const uint8_t **stop)
{
    return parse(shapes, at, end, end_of_shaped(at, end), event, stop, BY_16_BYTES);
}

static NOINLINE JsonScan parse_run_by_16(EventShapes *shapes, EventRun *run, const uint8_t **stop)
{
    return parse_run(shapes, run, stop, BY_16_BYTES);
}

#ifdef HAS_AVX2
FOR_AVX2 static NOINLINE JsonScan parse_by_32(EventShapes *shapes, const uint8_t *at, const uint8_t *end,
                                              RawEvent *event, const uint8_t **stop)
{
    return parse(shapes, at, end, end_of_shaped(at, end), event, stop, BY_32_BYTES);
}

FOR_AVX2 static NOINLINE JsonScan parse_run_by_32(EventShapes *shapes, EventRun *run, const uint8_t **stop)
{
    return parse_run(shapes, run, stop, BY_32_BYTES);
}

static bool has_avx2(void)
{
    return LIKELY(__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0);
}
#endif

JsonScan event_parse_shaped(EventShapes *shapes, const uint8_t *at, const uint8_t *end, RawEvent *event,
                            const uint8_t **stop)
{
#ifdef HAS_AVX2
    if (has_avx2()) return parse_by_32(shapes, at, end, event, stop);
#endif
    return parse_by_16(shapes, at, end, event, stop);
}

JsonScan event_parse_run(EventShapes *shapes, EventRun *run, const uint8_t **stop)
{
#ifdef HAS_AVX2
    if (has_avx2()) return parse_run_by_32(shapes, run, stop);
#endif
    return parse_run_by_16(shapes, run, stop);
}
