#include "format/trace_event/read/ftrace.h"

#include "base/checked.h"
#include "format/line_text.h"
#include "format/linux/ftrace_draw.h"

typedef enum { PASS_LEARN, PASS_DRAW } FtracePass;

/* The text of a property. */
typedef struct FtraceText {
    Emitter *emitter;
    Ftrace   ftrace;
    bool     has_others; /* lines that are not comments */
    bool     has_sync;
    int64_t  shift_ns; /* from ftrace's clock to the trace's */
} FtraceText;

/* Finds the clock sync event that a marker names. */
static bool find_named_sync(const Emitter *emitter, StringView name, int64_t *ns)
{
    for (uint32_t i = 0; i < emitter->sync_count && name.size > 0; i++) {
        if (!string_equal(builder_text(emitter->builder, emitter->syncs[i].id), name)) continue;
        *ns = emitter->syncs[i].ns;
        return true;
    }
    return false;
}

/* Sets the difference of the clocks if the line is a clock sync marker. */
static void take_sync(FtraceText *text, const FtraceLine *line)
{
    FtraceSync sync;
    bool       is_clamped = false;
    if (text->has_sync || !ftrace_clock_sync(line, &sync)) return;
    if (!sync.has_time && !find_named_sync(text->emitter, sync.name, &sync.ns)) return;
    text->shift_ns = i64_sub_clamped(sync.ns, line->ns, &is_clamped);
    text->has_sync = !is_clamped;
    if (is_clamped) text->shift_ns = 0;
}

static void draw_line(FtraceText *text, const FtraceLine *line, EventPos pos)
{
    const int64_t shift = text->shift_ns;
    TraceBuilder *builder = text->emitter->builder;
    int64_t       tick;
    if (shift > 0 ? line->ns > INT64_MAX - shift : line->ns < INT64_MIN - shift) {
        builder_warn(builder, "time-out-of-range", pos, "a line of ftrace is beyond 64 bits of ns: left out");
        return;
    }
    times_to_ticks(&text->emitter->times, builder, pos, &(FineTime){ .ns = line->ns + shift }, 1, &tick);
    ftrace_take(&text->ftrace, line, tick, pos);
}

/* Goes through the lines. PASS_LEARN: finds the clock sync and the processes of the tasks, and returns the count of lines of
 * ftrace. */
static uint64_t walk_lines(FtraceText *text, const JsonValue *string, EventPos pos, FtracePass pass,
                           Bytes *comments)
{
    const uint8_t *end = string->at + string->size, *stop, *next;
    Emitter       *emitter = text->emitter;
    Bytes         *decoded = &emitter->more_text;
    FtraceLine     parsed;
    uint64_t       count = 0;
    for (const uint8_t *at = string->at; at < end; at = next) {
        (void)ftrace_raw_line(at, end, &stop, &next);
        JsonValue raw = { at, (size_t)(stop - at), JSON_STRING, true };
        bytes_clear(decoded);
        text_append(&raw, decoded, &(TextDamage){ 0 });
        emitter->failed |= decoded->failed;
        if (emitter->failed || builder_failed(emitter->builder)) return count;
        const StringView line = bytes_view(decoded);
        const EventPos   line_pos = { pos.offset + (uint64_t)(at - string->at), ERR_NOWHERE };
        const bool       is_comment = line.size > 0 && line.bytes[0] == '#';
        const bool       is_line = ftrace_line_parse(line, &parsed);
        const bool       is_blank = line_trim(line).size == 0;
        count += is_line && !is_comment;
        text->has_others |= !is_comment && !is_blank;
        if (pass == PASS_LEARN) {
            if (is_line) take_sync(text, &parsed);
            if (is_line && !is_comment) ftrace_learn(&text->ftrace, &parsed);
        } else if (is_comment) {
            bytes_append(comments, line.bytes, line.size);
            bytes_append(comments, "\n", 1);
        } else if (is_line) {
            draw_line(text, &parsed, line_pos);
        } else if (!is_blank) {
            ftrace_keep_unreadable(&text->ftrace, line_pos);
        }
    }
    return count;
}

FtraceTaken ftrace_take_text(Emitter *emitter, const JsonValue *string, EventPos pos, Bytes *comments)
{
    FtraceText text = { .emitter = emitter };
    Arena      scratch = arena_create(0);
    ftrace_open(&text.ftrace, &scratch, emitter->builder, &emitter->named_threads, FTRACE_IS_PART);
    bool any = string->kind == JSON_STRING && walk_lines(&text, string, pos, PASS_LEARN, NULL) > 0;
    bool has_others = string->kind != JSON_STRING || text.has_others;
    if (any && !emitter->failed) {
        if (!text.has_sync)
            builder_warn(emitter->builder, "sub-trace-not-aligned", pos,
                         "ftrace's text has no clock sync (parent_ts=, or name= of a clock sync event before "
                         "it): its times "
                         "stay as they are");
        (void)walk_lines(&text, string, pos, PASS_DRAW, comments);
        ftrace_finish(&text.ftrace);
    }
    emitter->failed |= ftrace_failed(&text.ftrace);
    arena_release(&scratch);
    return any ? FTRACE_LINES : has_others ? FTRACE_NONE : FTRACE_COMMENTS;
}
