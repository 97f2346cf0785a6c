/* First pass: finds the batches of each processor, and reads the tables. */
#include "format/go/v1/v1.h"

#include "base/high_bits.h"
#include "format/go/common/version.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_TEXT_BYTES = 1000000, MOST_FRAMES = 1000, MOST_RECORD_BYTES = 1 << 20 };
static const uint64_t MOST_FREQUENCY = 1000000000000;

/* Returns the count of numbers of a plain event by its first byte: one that the scan can skip by its length; 0 =
 * other. */
static unsigned plain_count(const GoV1 *v1, unsigned first)
{
    unsigned type = first & V1_TYPE_MASK, n = first >> 6;
    if (type == 0 || type >= V1_TYPE_COUNT || V1_SPECS[type].name == NULL) return 0;
    unsigned wanted = v1->layouts.number_counts[type], count = n + (v1->version < GO_1_7 ? 2 : 1);
    bool     is_event = V1_SPECS[type].kind != GO_BAD && type != V1_CPU_SAMPLE && type != V1_USER_LOG;
    return is_event && V1_SPECS[type].since <= v1->version && (first >= V1_SIZED || wanted == count) ? wanted
                                                                                                     : 0;
}

static uint8_t ends_of(unsigned first, unsigned count)
{
    if (count == 0) return 0;
    if (first >= V1_SIZED) return (uint8_t)(V1_ENDS_SIZED | (count + 1));
    /* a first byte from 0x80 on looks like the begin of the first number */
    return (uint8_t)(first < 0x80 ? count + 1 : count);
}

static V1Shape shape_of(const GoV1 *v1, unsigned first, unsigned count)
{
    if (count == 0 || v1->version < GO_1_7) return (V1Shape){ .count = 0 };
    const V1Spec *spec = &V1_SPECS[first & V1_TYPE_MASK];
    return (V1Shape){ .count = (uint8_t)count,
                      .stack_at = (uint8_t)(spec->has_stack ? count - 1 : V1_NO_STACK),
                      .kind = spec->kind,
                      .whose = V1_WHOSE[spec->whose] };
}

void v1_begin(GoV1 *v1)
{
    v1->tables.arena = v1->checks.timer_gs.arena = v1->parts.stream_map.arena = v1->arena;
    v1->tables.rule = ULEB_DROP_EXCESS;
    v1->tables.bare_frames = v1->version < GO_1_7;
    v1->scan.next = GO_HEADER_BYTES;
    for (unsigned type = 1; type < V1_TYPE_COUNT; type++)
        v1->layouts.number_counts[type] = (uint8_t)v1_number_count(v1->version, (V1Type)type);
    for (unsigned type = 0; type < V1_TYPE_COUNT; type++)
        v1->layouts.orders[type] = V1_SPECS[type].order;
    for (unsigned first = 0; first < 256; first++) {
        const unsigned count = plain_count(v1, first);
        v1->layouts.plain_ends[first] = ends_of(first, count);
        v1->layouts.shapes[first] = shape_of(v1, first, count);
    }
}

/* -- a record -- */

/* Reads the text that follows the numbers of UserLog. */
static V1RecordResult read_message(ByteCursor *c, V1Record *record)
{
    uint64_t size = cursor_varint(c, ULEB_DROP_EXCESS);
    if (c->failed) return V1_RECORD_CUT;
    if (size > MOST_TEXT_BYTES) return V1_RECORD_BAD;
    record->message_at = cursor_offset(c);
    record->message_size = (uint32_t)size;
    return cursor_take(c, (size_t)size) == NULL ? V1_RECORD_CUT : V1_RECORD_GOOD;
}

static V1RecordResult read_string(ByteCursor *c, V1Record *record)
{
    record->numbers[0] = cursor_varint(c, ULEB_DROP_EXCESS);
    record->count = 1;
    return read_message(c, record);
}

/* Reads the numbers that fill `size` bytes. */
static V1RecordResult read_sized(ByteCursor *c, V1Record *record)
{
    enum { ROOM = sizeof record->numbers / sizeof record->numbers[0] };
    uint64_t size = cursor_varint(c, ULEB_DROP_EXCESS);
    if (c->failed) return V1_RECORD_CUT;
    if (size > MOST_RECORD_BYTES) return V1_RECORD_BAD;
    record->numbers_at = c->at;
    if (size > cursor_left(c)) return V1_RECORD_CUT;
    ByteCursor inside = cursor_over(c->bytes + c->at, (size_t)size, cursor_offset(c));
    while (cursor_left(&inside) > 0) {
        uint64_t number = cursor_varint(&inside, ULEB_DROP_EXCESS);
        if (record->count < ROOM) record->numbers[record->count] = number;
        record->count++;
    }
    if (inside.failed) return V1_RECORD_BAD; /* a number crosses the end */
    c->at += (size_t)size;
    return V1_RECORD_GOOD;
}

V1RecordResult v1_read_record(ByteCursor *c, unsigned version, V1Record *record)
{
    record->offset = cursor_offset(c);
    record->count = 0;
    uint8_t  first = cursor_u8(c);
    unsigned n = first >> 6;
    record->type = first & 0x3f;
    if (record->type == V1_STRING && version >= GO_1_7)
        return c->failed ? V1_RECORD_CUT : read_string(c, record);
    if (n == 3) {
        V1RecordResult result = read_sized(c, record);
        if (result != V1_RECORD_GOOD) return result;
    } else {
        record->numbers_at = c->at;
        record->count = n + (version < GO_1_7 ? 2 : 1);
        cursor_varints(c, ULEB_DROP_EXCESS, record->numbers, record->count);
        if (c->failed) return V1_RECORD_CUT;
    }
    return UNLIKELY(record->type == V1_USER_LOG && version >= GO_1_11) ? read_message(c, record)
                                                                       : V1_RECORD_GOOD;
}

/* -- tables, batches and samples -- */

static uint32_t find_stream(GoV1 *v1, int64_t p)
{
    uint32_t place = id_map_find(&v1->parts.stream_map, (uint64_t)p);
    if (place != 0) return place;
    V1Stream *streams = arena_grow(v1->arena, v1->parts.streams, v1->parts.stream_count,
                                   &v1->parts.stream_capacity, sizeof *streams);
    if (streams == NULL) return 0;
    v1->parts.streams = streams;
    if (!id_map_put(&v1->parts.stream_map, (uint64_t)p, v1->parts.stream_count + 1)) return 0;
    streams[v1->parts.stream_count] = (V1Stream){ .p = p };
    return ++v1->parts.stream_count;
}

static bool begin_segment(GoV1 *v1, int64_t p, uint64_t begin, uint64_t ticks, uint64_t seq)
{
    uint32_t   stream = find_stream(v1, p);
    V1Segment *segments = arena_grow(v1->arena, v1->parts.segments, v1->parts.segment_count,
                                     &v1->parts.segment_capacity, sizeof *segments);
    if (stream == 0 || segments == NULL) return false;
    v1->parts.segments = segments;
    segments[v1->parts.segment_count++] = (V1Segment){ begin, begin, ticks, seq, 0 };
    uint32_t  place = v1->parts.segment_count;
    V1Stream *s = &v1->parts.streams[stream - 1];
    assert(stream <= v1->parts.stream_count && s->last < place);
    if (s->last == 0) {
        s->first = place;
    } else {
        segments[s->last - 1].next = place;
    }
    s->last = place;
    v1->scan.open_segment = place;
    v1->scan.last_ticks = ticks;
    return true;
}

static void end_segment(GoV1 *v1, uint64_t end)
{
    assert(v1->scan.open_segment <= v1->parts.segment_count);
    if (v1->scan.open_segment != 0) v1->parts.segments[v1->scan.open_segment - 1].end = end;
    v1->scan.open_segment = 0;
}

static void warn_record(GoV1 *v1, const char *kind, const V1Record *record, const char *fault)
{
    v1->scan.is_damaged = true;
    go_report(v1->report, kind, record->offset, "%s: %s",
              record->type < V1_TYPE_COUNT && V1_SPECS[record->type].name != NULL
                  ? V1_SPECS[record->type].name
                  : "record",
              fault);
}

/* Copies the bytes of a table entry if needed. *at: in, its offset in the input; out, its offset in GoTables.bytes. */
static bool keep(GoV1 *v1, const ByteCursor *c, uint64_t *at, size_t size)
{
    if (v1->source.again.read == NULL) return true;
    if (size > SIZE_MAX - v1->source.kept.size ||
        !go_buffer_reserve(v1->arena, &v1->source.kept, v1->source.kept.size + size))
        return false;
    memcpy(v1->source.kept.data + v1->source.kept.size, c->bytes + (*at - c->origin), size);
    *at = v1->source.kept.size;
    v1->source.kept.size += size;
    return true;
}

/* Stores the offset of the first record of the tables. */
static void note_tables_begin(GoV1 *v1, const V1Record *record)
{
    if (v1->tables.string_count + v1->tables.stack_count == 0) v1->scan.tables_begin = record->offset;
}

static bool take_string(GoV1 *v1, const V1Record *record, const ByteCursor *c)
{
    uint64_t at = record->message_at;
    if (record->numbers[0] == 0 || record->message_size == 0) {
        warn_record(v1, "bad-string", record, record->message_size == 0 ? "an empty one" : "id 0");
        return true;
    }
    note_tables_begin(v1, record);
    return keep(v1, c, &at, record->message_size) &&
           go_tables_add_string(&v1->tables, record->numbers[0], at, record->message_size);
}

/* Adds a stack: id, n, n x (pc, func, file, line); version 1.5: n x pc. */
static bool take_stack(GoV1 *v1, const V1Record *record, const ByteCursor *c)
{
    uint64_t id = record->numbers[0], frames = record->numbers[1];
    uint64_t per_frame = v1->version < GO_1_7 ? 1 : 4;
    if (record->count < 2 || frames > MOST_FRAMES || record->count != 2 + per_frame * frames) {
        warn_record(v1, "bad-stack", record, "its frames are not as many as it says");
        return true;
    }
    if (id == 0 || frames == 0) return true;
    note_tables_begin(v1, record);
    ByteCursor inside = cursor_over(c->bytes, c->at, c->origin);
    inside.at = record->numbers_at;
    (void)cursor_skip_varint(&inside);
    (void)cursor_skip_varint(&inside);
    uint64_t at = cursor_offset(&inside);
    uint32_t size = (uint32_t)cursor_left(&inside);
    return keep(v1, c, &at, size) && go_tables_add_stack(&v1->tables, id, at, size, (uint32_t)frames);
}

static void take_frequency(GoV1 *v1, const V1Record *record)
{
    uint64_t frequency = record->numbers[0];
    if (frequency == 0 || frequency > MOST_FREQUENCY) {
        warn_record(v1, "bad-frequency", record, "so many ticks a second cannot be");
    } else if (v1->clock.frequency == 0) {
        v1->clock.frequency = frequency;
    }
}

static bool take_sample(GoV1 *v1, const V1Record *record)
{
    V1Sample *samples = arena_grow(v1->arena, v1->parts.samples, v1->parts.sample_count,
                                   &v1->parts.sample_capacity, sizeof *samples);
    if (samples == NULL) return false;
    v1->parts.samples = samples;
    samples[v1->parts.sample_count++] = (V1Sample){ record->numbers[1], record->offset, record->numbers[2],
                                                    record->numbers[3], record->numbers[4] };
    return true;
}

static bool take_batch(GoV1 *v1, const V1Record *record, uint64_t behind)
{
    bool has_seq = v1->version < GO_1_7;
    end_segment(v1, record->offset);
    return begin_segment(v1, (int64_t)record->numbers[0], behind, record->numbers[has_seq ? 2 : 1],
                         has_seq ? record->numbers[1] : 0);
}

/* Handles a record of any type. False when out of memory. */
static bool take_record(GoV1 *v1, const V1Record *record, const ByteCursor *c)
{
    v1->scan.counts.of[record->type]++;
    bool is_known = record->type < V1_TYPE_COUNT && V1_SPECS[record->type].name != NULL &&
                    V1_SPECS[record->type].since <= v1->version;
    if (UNLIKELY(!is_known)) {
        warn_record(v1, "unknown-record", record, "this version has no such type: skipped");
        return true;
    }
    if (record->type == V1_STRING) return take_string(v1, record, c);
    if (record->type == V1_STACK) {
        if (v1->scan.stacks_begin == 0) /* the strings of its frames precede it in the same batch */
            v1->scan.stacks_begin = v1->scan.open_segment == 0
                                        ? record->offset
                                        : v1->parts.segments[v1->scan.open_segment - 1].begin;
        return take_stack(v1, record, c);
    }
    unsigned wanted = v1->layouts.number_counts[record->type];
    if (UNLIKELY(record->count != wanted)) {
        warn_record(v1, "bad-arguments", record,
                    record->count < wanted ? "too few arguments: skipped" : "too many arguments");
        if (record->count < wanted) return true;
    }
    switch (record->type) {
    case V1_BATCH:
        return take_batch(v1, record, cursor_offset(c));
    case V1_FREQUENCY:
        take_frequency(v1, record);
        return true;
    case V1_TIMER_GOROUTINE:
        return id_map_find(&v1->checks.timer_gs, record->numbers[0]) != 0 ||
               id_map_put(&v1->checks.timer_gs, record->numbers[0], 1);
    case V1_CPU_SAMPLE:
        return take_sample(v1, record);
    default: /* an event, decoded in the second pass */
        return v1->scan.open_segment != 0 || begin_segment(v1, 0, record->offset, 0, 0);
    }
}

/* -- recovery from damage -- */

/* True if a Batch plausibly begins here: of a known processor, at a time close to the last one. */
static bool is_plausible_batch(const GoV1 *v1, const uint8_t *bytes, size_t size)
{
    enum { BATCH_BYTE = 0x41, MOST_PLAUSIBLE_BITS = 42 /* ticks: more than an hour */ };
    ByteCursor c = cursor_over(bytes, size, 0);
    V1Record   record;
    if (bytes[0] != BATCH_BYTE && bytes[0] != (V1_BATCH | 2 << 6)) return false;
    if (v1_read_record(&c, v1->version, &record) != V1_RECORD_GOOD) return false;
    if (record.count != v1->layouts.number_counts[V1_BATCH]) return false;
    uint64_t ticks = record.numbers[record.count - 1];
    uint64_t apart = ticks > v1->scan.last_ticks ? ticks - v1->scan.last_ticks : v1->scan.last_ticks - ticks;
    return id_map_find(&v1->parts.stream_map, record.numbers[0]) != 0 && apart >> MOST_PLAUSIBLE_BITS == 0;
}

static void begin_skip(GoV1 *v1, uint64_t at)
{
    end_segment(v1, at);
    v1->scan.is_skipping = v1->scan.is_damaged = true;
    v1->scan.skip_begin = at;
    v1->scan.next = at + 1;
}

static void skip(GoV1 *v1, const uint8_t *bytes, size_t size, InputState input)
{
    enum { MOST_BATCH_BYTES = 32 };
    uint64_t end = v1->source.origin + size;
    while (v1->scan.next < end && (input == INPUT_ENDS || end - v1->scan.next >= MOST_BATCH_BYTES)) {
        if (is_plausible_batch(v1, bytes + (v1->scan.next - v1->source.origin),
                               (size_t)(end - v1->scan.next))) {
            v1->scan.is_skipping = false;
            break;
        }
        v1->scan.next++;
    }
    if (v1->scan.is_skipping && !(input == INPUT_ENDS && v1->scan.next == end)) return;
    v1->scan.is_skipping = false;
    go_report(v1->report, "skipped-bytes", v1->scan.skip_begin,
              "no record could be read here: %" PRIu64 " bytes skipped", v1->scan.next - v1->scan.skip_begin);
}

static bool index_tables(GoV1 *v1)
{
    uint32_t duplicates;
    if (!go_tables_index(&v1->tables, &duplicates)) return false;
    if (duplicates > 0) {
        go_report(v1->report, "duplicate-id", v1->scan.tables_begin,
                  "%u strings or stacks have ids that others have: the first ones count", duplicates);
    }
    return true;
}

/* -- plain events -- */

/* Returns the ends of numbers in the next 64 bytes as bits, up to the first number that is too long for the fast
 * path. */
static ALWAYS_INLINE uint64_t number_ends(const uint8_t *bytes)
{
    const uint64_t high = high_bits(bytes);
    uint64_t       long_ones = high & high >> 1; /* begins of eight successive high bits */
    long_ones &= long_ones >> 2;
    long_ones &= long_ones >> 4;
    return ~high & ((long_ones & (~long_ones + 1)) - 1);
}

/* Removes the bits before the last byte of the event at `at`. False if it is not a plain event that ends in these
 * bytes. */
static bool reach_last(uint64_t *ends, unsigned event_ends, const uint8_t *bytes, size_t at)
{
    if (event_ends == 0) return false;
    for (unsigned left = event_ends & ~(unsigned)V1_ENDS_SIZED; left > 1; left--)
        *ends &= *ends - 1;
    if (*ends == 0) return false;
    return (event_ends & V1_ENDS_SIZED) == 0 || bits_lowest_u64(*ends) + 1 == at + 2 + bytes[at + 1];
}

/* Skips plain events that end within the next 64 bytes. Returns the bytes skipped; 65 must be readable. The dependency
 * from event to event is only the removal of bits, and the usual count of bits is predicted. */
static ALWAYS_INLINE size_t pass_plain(GoV1 *v1, const uint8_t *bytes)
{
    enum { USUAL_ENDS = 3 }; /* time, goroutine and stack; or two of them and the first byte */
    uint64_t ends = number_ends(bytes);
    size_t   at = 0;
    for (;;) {
        const uint8_t  first = bytes[at];
        const unsigned event_ends = v1->layouts.plain_ends[first];
        if (LIKELY(event_ends == USUAL_ENDS)) {
            ends &= ends - 1;
            ends &= ends - 1;
            if (UNLIKELY(ends == 0)) return at;
        } else if (!reach_last(&ends, event_ends, bytes, at)) {
            return at;
        }
        at = bits_lowest_u64(ends) + 1;
        ends &= ends - 1;
        v1->layouts.plain_passed[first]++;
    }
}

/* Skips plain events: most of a trace. v1_read_record reads the long and rare ones and those near the end. */
static void scan_plain(GoV1 *v1, const uint8_t *bytes, size_t size)
{
    size_t at = (size_t)(v1->scan.next - v1->source.origin), passed = 1;
    if (v1->scan.open_segment == 0) return;
    for (; passed > 0 && size - at > HIGH_BITS_BYTES; at += passed)
        passed = pass_plain(v1, bytes + at);
    v1->scan.next = v1->source.origin + at;
}

void v1_scan(GoV1 *v1, const uint8_t *bytes, size_t size, InputState input)
{
    V1Record record;
    uint64_t end = v1->source.origin + size;
    while (v1->scan.next < end && !v1->out_of_memory) {
        if (UNLIKELY(v1->scan.is_skipping)) {
            skip(v1, bytes, size, input);
            if (v1->scan.is_skipping) break;
            continue;
        }
        scan_plain(v1, bytes, size);
        if (v1->scan.next == end) break;
        ByteCursor c = cursor_over(bytes, size, v1->source.origin);
        c.at = (size_t)(v1->scan.next - v1->source.origin);
        V1RecordResult result = v1_read_record(&c, v1->version, &record);
        if (UNLIKELY(result == V1_RECORD_CUT)) {
            if (input != INPUT_ENDS) break;
            go_report(v1->report, "truncated-record", v1->scan.next,
                      "the last record is cut short after %" PRIu64 " bytes", end - v1->scan.next);
            v1->scan.is_damaged = true;
            end_segment(v1, v1->scan.next);
            v1->scan.next = end;
        } else if (UNLIKELY(result == V1_RECORD_BAD)) {
            go_report(v1->report, "bad-record", record.offset,
                      "a record cannot be read: the rest of its batch is lost");
            begin_skip(v1, record.offset);
        } else {
            v1->scan.next = cursor_offset(&c);
            if (!take_record(v1, &record, &c)) v1->out_of_memory = true;
        }
    }
    if (input != INPUT_ENDS) return;
    for (unsigned first = 0; first < 256; first++) {
        v1->scan.counts.of[first & V1_TYPE_MASK] += v1->layouts.plain_passed[first];
        v1->layouts.plain_passed[first] = 0;
    }
    end_segment(v1, v1->scan.next);
    if (!index_tables(v1)) v1->out_of_memory = true;
}
