#include "trace/wire/outline.h"

/* Layout, little-endian:
 *
 *   header (160 bytes)   0 u32 magic "VOL7"     4 u32 flags: 1 complete, 2 has time, 4 has window, 256 << i
 *                                                perspective i made
 *                        8 u32 clock kind      12 u32 clock flags: 1 unsigned ticks, 2 epoch known, 4 shows ns
 *                       16 u64 ns_num          24 u64 ns_den   32 i64 origin_ns   40 i64 epoch_unix_ns
 *                       48 i64 begin_tick      56 u64 span     64 u64 slice_count
 *                       72 u32 process_count   76 u32 track_count   80 u32 row_count
 *                       84 u32 label_count     88 u32 warning_count
 *                       92 text name           100 u32 text_bytes   104 u64 flow_count   112 text hidden
 *                       120 text perspectives: names, a line feed between them
 *                       128 u64 window_begin   136 u64 window_end   144 u64 lead
 *                       152 i64 begin_unix_ns
 *   process (48 bytes)   text title, text labels, u32 first_track, u32 track_count, u32 flags: 1 has events, 256 << i seen
 *                        from perspective i, u64 key, text thread_noun, u32 sharing_threads
 *   track (112 bytes)    text title, u32 kind, u32 id, u32 process (UINT32_MAX none), u32 row_count, u32 first_row,
 *                        u32 flags: 1 has events, 2 stacked, 4 divides, 8 counts bytes, 16 shares a chart, u64 slice_count,
 *                        u64 instant_count, u64 sample_count, f64 least, f64 greatest, u64 key, u64 version,
 *                        u64 held_to, u64 first_tick, u64 busy_ticks
 *   row (44 bytes)       u32 lane, u32 depth, u64 slice_count, u64 instant_count, u64 sample_count, text series, u32
 *                        colour
 *   text block           text = u32 offset into it, u32 length
 *
 *   label page           u32 magic "VLB1", u32 first id, u32 count, count x { text name, text category, u32 colour }, text
 *                        block
 *   overview             u32 magic "VOV2", u32 count, u32 filter, count x { u32 label, u16 busy, u16 0 }
 *   visible              u32 magic "VVI1", u32 count, u32 filter, count x { u32 row_count, u32 0, u64 slice_count,
 *                        u64 instant_count } */
#include "trace/wire/outline_layout.h"

#include <math.h>
#include <string.h>

typedef struct TextBlock {
    const uint8_t *bytes;
    size_t         size;
    bool           failed;
} TextBlock;

static StringView text_at(TextBlock *block, const uint8_t *reference)
{
    uint32_t offset = bits_load_u32(reference), length = bits_load_u32(reference + 4);
    if (offset > block->size || length > block->size - offset) {
        block->failed = true;
        return (StringView){ "", 0 };
    }
    return (StringView){ (const char *)block->bytes + offset, length };
}

static void read_header(const uint8_t *b, Outline *outline)
{
    uint32_t flags = bits_load_u32(b + 4), clock_flags = bits_load_u32(b + 12);
    *outline = (Outline){ .clock = { .kind = (ClockKind)bits_load_u32(b + 8),
                                     .ns_num = bits_load_u64(b + 16),
                                     .ns_den = bits_load_u64(b + 24),
                                     .origin_ns = (int64_t)bits_load_u64(b + 32),
                                     .is_unsigned = (clock_flags & 1) != 0,
                                     .has_epoch = (clock_flags & 2) != 0,
                                     .shows_ns = (clock_flags & 4) != 0,
                                     .epoch_unix_ns = (int64_t)bits_load_u64(b + 40) },
                          .begin_tick = (int64_t)bits_load_u64(b + 48),
                          .span = bits_load_u64(b + 56),
                          .slice_count = bits_load_u64(b + 64),
                          .process_count = bits_load_u32(b + 72),
                          .track_count = bits_load_u32(b + 76),
                          .row_count = bits_load_u32(b + 80),
                          .label_count = bits_load_u32(b + 84),
                          .warning_count = bits_load_u32(b + 88),
                          .flow_count = bits_load_u64(b + 104),
                          .window_begin = bits_load_u64(b + 128),
                          .window_end = bits_load_u64(b + 136),
                          .lead = bits_load_u64(b + 144),
                          .begin_unix_ns = (int64_t)bits_load_u64(b + 152),
                          .complete = (flags & 1) != 0,
                          .has_time = (flags & 2) != 0,
                          .has_window = (flags & 4) != 0,
                          .perspectives_made = (uint8_t)(flags >> 8) };
}

static void split_perspectives(StringView names, Outline *outline)
{
    const char *at = names.bytes, *end = names.bytes + names.size;
    while (at < end && outline->perspective_count < OUTLINE_PERSPECTIVES) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL) line_end = end;
        outline->perspectives[outline->perspective_count++] = (StringView){ at, (size_t)(line_end - at) };
        at = line_end == end ? end : line_end + 1;
    }
}

static bool read_process(const uint8_t *b, TextBlock *text, const Outline *outline, OutlineProcess *process)
{
    *process = (OutlineProcess){ .title = text_at(text, b),
                                 .labels = text_at(text, b + 8),
                                 .first_track = bits_load_u32(b + 16),
                                 .track_count = bits_load_u32(b + 20),
                                 .key = bits_load_u64(b + 28),
                                 .thread_noun = text_at(text, b + 36),
                                 .sharing_threads = bits_load_u32(b + 44),
                                 .perspectives = (uint8_t)(bits_load_u32(b + 24) >> 8),
                                 .has_events = (bits_load_u32(b + 24) & 1) != 0 };
    return process->first_track <= outline->track_count &&
           process->track_count <= outline->track_count - process->first_track;
}

static bool read_track(const uint8_t *b, TextBlock *text, const Outline *outline, OutlineTrack *track)
{
    *track = (OutlineTrack){ .title = text_at(text, b),
                             .kind = bits_load_u32(b + 8),
                             .id = bits_load_u32(b + 12),
                             .process = bits_load_u32(b + 16),
                             .row_count = bits_load_u32(b + 20),
                             .first_row = bits_load_u32(b + 24),
                             .has_events = (bits_load_u32(b + 28) & 1) != 0,
                             .slice_count = bits_load_u64(b + 32),
                             .is_stacked = (bits_load_u32(b + 28) & 2) != 0,
                             .divides = (bits_load_u32(b + 28) & 4) != 0,
                             .counts_bytes = (bits_load_u32(b + 28) & 8) != 0,
                             .shares_chart = (bits_load_u32(b + 28) & 16) != 0,
                             .instant_count = bits_load_u64(b + 40),
                             .sample_count = bits_load_u64(b + 48),
                             .version = bits_load_u64(b + 80),
                             .held_to = bits_load_u64(b + 88),
                             .first_tick = bits_load_u64(b + 96),
                             .busy_ticks = bits_load_u64(b + 104),
                             .least = bits_load_f64(b + 56),
                             .greatest = bits_load_f64(b + 64),
                             .key = bits_load_u64(b + 72) };
    if (!isfinite(track->least) || !isfinite(track->greatest) || track->least > track->greatest) return false;
    if (track->process != UINT32_MAX && track->process >= outline->process_count) return false;
    return track->kind <= 8 && track->id != 0 && track->first_row <= outline->row_count &&
           track->row_count <= outline->row_count - track->first_row;
}

/* Decodes an outline. False: it is not one, or (*has_memory false) out of memory. */
static bool read_outline(const void *bytes, size_t size, Arena *arena, Outline *outline, bool *has_memory)
{
    const uint8_t *b = (const uint8_t *)bytes;
    if (size < OUTLINE_HEADER_BYTES || bits_load_u32(b) != OUTLINE_MAGIC) return false;
    read_header(b, outline);
    if (outline->clock.kind > CLOCK_EVENTS || outline->clock.ns_num == 0 || outline->clock.ns_den == 0)
        return false;
    uint64_t records = (uint64_t)outline->process_count * OUTLINE_PROCESS_BYTES +
                       (uint64_t)outline->track_count * OUTLINE_TRACK_BYTES +
                       (uint64_t)outline->row_count * OUTLINE_ROW_BYTES;
    if (records > size - OUTLINE_HEADER_BYTES) return false;
    if (outline->window_begin > outline->window_end || outline->window_end > outline->span) return false;
    if (outline->lead != 0 && (outline->span > INT64_MAX || outline->lead > INT64_MAX - outline->span))
        return false;
    const uint8_t *at = b + OUTLINE_HEADER_BYTES;
    const size_t   text_bytes = size - OUTLINE_HEADER_BYTES - (size_t)records;
    const char    *texts = arena_push_copy(arena, (const char *)at + records, text_bytes);
    TextBlock      text = { (const uint8_t *)texts, text_bytes, false };
    outline->processes = ARENA_ARRAY(arena, OutlineProcess, outline->process_count);
    outline->tracks = ARENA_ARRAY(arena, OutlineTrack, outline->track_count);
    outline->rows = ARENA_ARRAY(arena, OutlineRow, outline->row_count);
    *has_memory =
        texts != NULL && outline->processes != NULL && outline->tracks != NULL && outline->rows != NULL;
    if (!*has_memory) return false;
    outline->name = text_at(&text, b + 92);
    outline->hidden = text_at(&text, b + 112);
    split_perspectives(text_at(&text, b + 120), outline);
    for (uint32_t i = 0; i < outline->process_count; i++, at += OUTLINE_PROCESS_BYTES) {
        if (!read_process(at, &text, outline, &outline->processes[i])) return false;
    }
    for (uint32_t i = 0; i < outline->track_count; i++, at += OUTLINE_TRACK_BYTES) {
        if (!read_track(at, &text, outline, &outline->tracks[i])) return false;
    }
    for (uint32_t i = 0; i < outline->row_count; i++, at += OUTLINE_ROW_BYTES) {
        outline->rows[i] = (OutlineRow){ .lane = bits_load_u32(at),
                                         .depth = bits_load_u32(at + 4),
                                         .slice_count = bits_load_u64(at + 8),
                                         .instant_count = bits_load_u64(at + 16),
                                         .sample_count = bits_load_u64(at + 24),
                                         .series = text_at(&text, at + 32),
                                         .colour = bits_load_u32(at + 40) };
    }
    return !text.failed;
}

bool outline_open(const void *bytes, size_t size, Arena *arena, Outline *outline, Err *err)
{
    bool has_memory = true;
    if (read_outline(bytes, size, arena, outline, &has_memory)) return true;
    if (!has_memory) return err_set(err, ERR_MEMORY, "no memory for an outline of %zu bytes", size);
    return err_set(err, ERR_CORRUPT, "not a trace's outline");
}

uint32_t label_page_open(const void *bytes, size_t size, LabelText *labels)
{
    const uint8_t *b = (const uint8_t *)bytes;
    if (size < LABEL_PAGE_HEADER_BYTES || bits_load_u32(b) != LABEL_PAGE_MAGIC) return 0;
    uint32_t count = bits_load_u32(b + 8);
    if (count > OUTLINE_LABEL_PAGE || count > (size - LABEL_PAGE_HEADER_BYTES) / LABEL_BYTES) return 0;
    const uint8_t *at = b + LABEL_PAGE_HEADER_BYTES;
    size_t         records = (size_t)count * LABEL_BYTES;
    TextBlock      text = { at + records, size - LABEL_PAGE_HEADER_BYTES - records, false };
    for (uint32_t i = 0; i < count; i++, at += LABEL_BYTES) {
        labels[i] = (LabelText){ text_at(&text, at), text_at(&text, at + 8), bits_load_u32(at + 16) };
    }
    return text.failed ? 0 : count;
}

bool visible_open(const void *bytes, size_t size, VisibleTrack *tracks, uint32_t track_count,
                  uint32_t *filter)
{
    const uint8_t *b = (const uint8_t *)bytes;
    if (size < VISIBLE_HEADER_BYTES || bits_load_u32(b) != VISIBLE_MAGIC ||
        bits_load_u32(b + 4) != track_count)
        return false;
    if (track_count > (size - VISIBLE_HEADER_BYTES) / VISIBLE_TRACK_BYTES) return false;
    *filter = bits_load_u32(b + 8);
    for (uint32_t i = 0; i < track_count; i++) {
        const uint8_t *at = b + VISIBLE_HEADER_BYTES + (size_t)i * VISIBLE_TRACK_BYTES;
        tracks[i] = (VisibleTrack){ bits_load_u32(at), bits_load_u64(at + 8), bits_load_u64(at + 16) };
    }
    return true;
}

uint32_t overview_open(const void *bytes, size_t size, OverviewBucket *buckets, uint32_t capacity,
                       uint32_t *filter)
{
    const uint8_t *b = (const uint8_t *)bytes;
    if (size < OVERVIEW_HEADER_BYTES || bits_load_u32(b) != OVERVIEW_MAGIC) return 0;
    uint32_t count = bits_load_u32(b + 4);
    if (count > capacity || count > (size - OVERVIEW_HEADER_BYTES) / OVERVIEW_BUCKET_BYTES) return 0;
    *filter = bits_load_u32(b + 8);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = b + OVERVIEW_HEADER_BYTES + (size_t)i * OVERVIEW_BUCKET_BYTES;
        buckets[i] = (OverviewBucket){ .label = bits_load_u32(at), .busy = (uint16_t)(at[4] | at[5] << 8) };
    }
    return count;
}
