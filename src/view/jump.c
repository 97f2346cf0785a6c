#include "view/jump.h"

#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/perspective.h"
#include "view/select.h"
#include "view/shown.h"

#include <string.h>

/* Ranks of a word in a title; the rank of a row is the sum over its words. */
enum {
    RANK_FIRST_WORD,  /* a whole word at the begin */
    RANK_WORD,        /* a whole word */
    RANK_FIRST_START, /* the begin of the first word */
    RANK_START,       /* the begin of a word */
    RANK_INSIDE,
    RANK_GROUP = 8, /* only in the title of the process */
    RANK_NONE = 1000
};

/* Limits of a step: rows examined and bytes of their titles. A longer title is examined to TITLE_BYTES. */
enum { STEP_ROWS = 1 << 15, STEP_BYTES = 1 << 20, TITLE_BYTES = 4096 };

static bool is_letter(char c)
{
    return ascii_is_alnum(c) || (unsigned char)c >= 0x80;
}

static bool matches_at(StringView title, size_t at, StringView word)
{
    for (size_t i = 0; i < word.size; i++)
        if (ascii_lower(title.bytes[at + i]) != word.bytes[i]) return false;
    return true;
}

/* Returns the best rank of a word in a title; RANK_NONE if it is not there. */
static uint32_t word_rank(StringView title, StringView word)
{
    uint32_t best = RANK_NONE;
    if (title.size > TITLE_BYTES) title.size = TITLE_BYTES;
    for (size_t at = 0; at + word.size <= title.size; at++) {
        if (!matches_at(title, at, word)) continue;
        bool     starts = at == 0 || !is_letter(title.bytes[at - 1]);
        bool     ends = at + word.size == title.size || !is_letter(title.bytes[at + word.size]);
        uint32_t rank = starts ? (ends ? RANK_WORD : RANK_START) : RANK_INSIDE;
        if (at == 0) rank = ends ? RANK_FIRST_WORD : RANK_FIRST_START;
        if (rank < best) best = rank;
    }
    return best;
}

/* Returns the rank of a row with this title; RANK_NONE if it does not match. group_words: bit i if the title of the row's
 * process contains word i. */
static uint32_t row_rank(const JumpSearch *search, StringView title, uint32_t group_words)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < search->word_count; i++) {
        uint32_t rank = word_rank(title, search->words[i]);
        if (rank == RANK_NONE && (group_words & 1U << i) != 0) rank = RANK_GROUP;
        if (rank == RANK_NONE) return RANK_NONE;
        sum += rank;
    }
    return sum;
}

static void keep(JumpSearch *search, RowTarget row, uint32_t rank)
{
    if (rank == RANK_NONE) return;
    search->count++;
    if (search->kept == JUMP_ROWS) {
        if (search->best[JUMP_ROWS - 1].rank <= rank) return;
        search->kept--;
    }
    uint32_t at = search->kept++;
    for (; at > 0 && search->best[at - 1].rank > rank; at--)
        search->best[at] = search->best[at - 1];
    search->best[at] = (JumpRow){ row, rank };
}

static void examine_process(JumpSearch *search, const TraceView *trace, uint32_t process)
{
    StringView title = trace->outline.processes[process].title;
    search->group = process;
    search->group_words = 0;
    for (uint32_t i = 0; i < search->word_count; i++)
        if (word_rank(title, search->words[i]) != RANK_NONE) search->group_words |= 1U << i;
    keep(search, (RowTarget){ ITEM_PROCESS, search->trace, process }, row_rank(search, title, 0));
}

/* Examines the next track, and before the first one of a process the process. Returns the number of bytes of its title. */
static size_t examine_track(JumpSearch *search, const TraceView *trace, LayoutEmptyTracks empty)
{
    const Outline      *outline = &trace->outline;
    const OutlineTrack *track = &outline->tracks[search->track];
    const uint32_t      process = track->process;
    const bool          has_process = process < outline->process_count;
    if (has_process && !perspective_shows(trace, process)) return 0;
    if (has_process && process != search->group) examine_process(search, trace, process);
    if (layout_track_has_rows(track, empty))
        keep(search, (RowTarget){ ITEM_TRACK, search->trace, search->track },
             row_rank(search, track->title, has_process ? search->group_words : 0));
    return track->title.size < TITLE_BYTES ? track->title.size : TITLE_BYTES;
}

static void begin_trace(JumpSearch *search, const View *view, uint32_t index)
{
    search->trace = index;
    search->track = 0;
    search->group = UINT32_MAX;
    if (index >= view->trace_count || view->trace_count == 1) return;
    keep(search, (RowTarget){ ITEM_TRACE, index, 0 },
         row_rank(search, view_trace(view, index)->outline.name, 0));
}

void view_find_rows(View *view, const char *pattern)
{
    JumpSearch *search = &view->jumps;
    size_t      size = strlen(pattern);
    *search = (JumpSearch){ 0 };
    if (size >= JUMP_PATTERN) size = utf8_cut(pattern, size, JUMP_PATTERN - 1);
    for (size_t i = 0; i < size; i++)
        search->pattern[i] = ascii_lower(pattern[i]);
    for (size_t at = 0; at < size && search->word_count < JUMP_WORDS;) {
        size_t end = at;
        while (end < size && search->pattern[end] != ' ')
            end++;
        if (end > at) search->words[search->word_count++] = (StringView){ search->pattern + at, end - at };
        at = end + 1;
    }
    begin_trace(search, view, 0);
}

bool view_find_rows_step(View *view)
{
    JumpSearch *search = &view->jumps;
    size_t      bytes = 0;
    uint32_t    rows = 0;
    while (search->trace < view->trace_count) {
        const TraceView  *trace = view_trace(view, search->trace);
        LayoutEmptyTracks empty = layout_empty_tracks(trace);
        for (; search->track < trace->outline.track_count; search->track++) {
            if (rows++ == STEP_ROWS || bytes > STEP_BYTES) return true;
            bytes += examine_track(search, trace, empty) * (search->word_count + 1);
        }
        begin_trace(search, view, search->trace + 1);
    }
    return false;
}

/* Returns the kind of a track for the list: the singular of its process's noun, or of the track's kind. */
static StringView track_noun(const TraceView *trace, const OutlineTrack *track)
{
    static const StringView NOUNS[] = {
        [TRACK_KIND_THREAD] = { "thread", 6 },      [TRACK_KIND_ASYNC] = { "asynchronous", 12 },
        [TRACK_KIND_COUNTER] = { "counter", 7 },    [TRACK_KIND_SAMPLES] = { "samples", 7 },
        [TRACK_KIND_STATES] = { "states", 6 },      [TRACK_KIND_OBJECTS] = { "objects", 7 },
        [TRACK_KIND_DUMPS] = { "memory dumps", 12 }
    };
    bool has_process = track->process < trace->outline.process_count;
    if (track->kind == TRACK_KIND_THREAD && has_process &&
        trace->outline.processes[track->process].thread_noun.size > 0)
        return trace->outline.processes[track->process].thread_noun;
    return track->kind < sizeof NOUNS / sizeof NOUNS[0] ? NOUNS[track->kind] : (StringView){ "", 0 };
}

static void put_found_row(JsonWriter *w, const View *view, RowTarget row)
{
    static const char *const KINDS[] = {
        [ITEM_TRACE] = "trace", [ITEM_PROCESS] = "process", [ITEM_TRACK] = "track"
    };
    const TraceView *trace = view_trace(view, row.trace);
    StringView       group = { "", 0 }, noun = { "trace", 5 };
    if (row.kind == ITEM_PROCESS) {
        const OutlineProcess *process = &trace->outline.processes[row.index];
        noun = process->thread_noun.size > 0 ? (StringView){ "group", 5 } : (StringView){ "process", 7 };
    } else if (row.kind == ITEM_TRACK) {
        const OutlineTrack *track = &trace->outline.tracks[row.index];
        noun = track_noun(trace, track);
        if (track->process < trace->outline.process_count)
            group = trace->outline.processes[track->process].title;
    }
    json_object_begin(w);
    json_put_string(w, "kind", KINDS[row.kind]);
    json_put_u64(w, "trace", row.trace);
    json_put_u64(w, "index", row.index);
    json_put_view(w, "title", shown_title(view, row));
    json_put_view(w, "group", group);
    json_put_view(w, "noun", noun);
    json_object_end(w);
}

void view_found_rows_json(const View *view, Bytes *out)
{
    const JumpSearch *search = &view->jumps;
    JsonWriter        w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_u64(&w, "count", search->count);
    json_key(&w, "rows");
    json_array_begin(&w);
    for (uint32_t i = 0; i < search->kept; i++)
        put_found_row(&w, view, search->best[i].row);
    json_array_end(&w);
    json_object_end(&w);
}

static void go_to(View *view, RowTarget row, double now_ms)
{
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    view_reveal_row(view, row, 0);
    shown_focus(view, row);
    view->input.keys_lead = true;
    view->selection.flashes = true;
    view->selection.flash_ms = view->now_ms;
}

void view_go_to_row(View *view, uint32_t found, double now_ms)
{
    const JumpSearch *search = &view->jumps;
    if (found < search->kept) go_to(view, search->best[found].row, now_ms);
}

void view_go_to_track(View *view, uint32_t trace, uint32_t track, double now_ms)
{
    const uint32_t index =
        trace < view->trace_count ? view_track_index(view_trace(view, trace), track) : UINT32_MAX;
    if (index != UINT32_MAX) go_to(view, (RowTarget){ ITEM_TRACK, trace, index }, now_ms);
}
