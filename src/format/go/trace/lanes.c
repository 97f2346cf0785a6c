#include "format/go/trace/lanes.h"

#include "format/go/common/event.h"
#include "trace/store/lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* -- names -- */

static bool is_run_label(const Trace *trace, uint32_t label)
{
    return string_equal(trace_label_category(trace, label), STRING_LITERAL("goroutine"));
}

/* Returns 'P', 'M' or 'G' for a lane of a processor, thread or goroutine; else 0. */
static char lane_letter(const Trace *trace, const Track *track)
{
    const StringView name = trace_string(trace, track->name);
    return track->kind == TRACK_THREAD && name.size > 2 && name.bytes[1] == ' ' ? name.bytes[0] : 0;
}

static bool is_lane_of_runs(const Trace *trace, const Track *track)
{
    const char letter = lane_letter(trace, track);
    return (letter == 'P' || letter == 'M') && track_row_count(track) > 0;
}

bool go_lane_number(StringView text, int64_t *number)
{
    char   digits[24];
    size_t at = 0, size = 0;
    while (at < text.size && (text.bytes[at] < '0' || text.bytes[at] > '9') && text.bytes[at] != '-')
        at++;
    while (at < text.size && size + 1 < sizeof digits && text.bytes[at] != ' ')
        digits[size++] = text.bytes[at++];
    digits[size] = 0;
    return sscanf(digits, "%" SCNd64, number) == 1;
}

int64_t go_lane_processor(const Trace *trace, uint64_t slice)
{
    const Track *track = &trace->tracks[trace->rows[trace_slice_row(trace, slice)].track];
    int64_t      p;
    return lane_letter(trace, track) == 'P' && go_lane_number(trace_string(trace, track->name), &p) ? p
                                                                                                    : GO_NONE;
}

bool go_lane_run(const Trace *trace, uint64_t slice, uint64_t *run)
{
    uint32_t row = trace_slice_row(trace, slice);
    if (!is_lane_of_runs(trace, &trace->tracks[trace->rows[row].track])) return false;
    for (*run = slice; !is_run_label(trace, trace_slice_label(trace, *run)); row--) {
        if (!trace_slice_parent(trace, row, *run, run)) return false;
    }
    return trace->rows[trace_slice_row(trace, *run)].depth == 0;
}

/* -- the goroutine of a slice -- */

/* Finds the goroutine that a shared lane shows at `tick`, by the slice around its states. */
static bool guest_at(const Trace *trace, const Track *thread, int64_t tick, int64_t *g)
{
    if (track_row_count(thread) == 0) return false;
    const Row     *row = &trace->rows[thread->first_row];
    const uint32_t at = row_slice_at(trace, row, tick);
    if (at == UINT32_MAX) return false;
    const uint32_t label = trace_slice_label(trace, row->first_slice + at);
    return is_run_label(trace, label) && go_lane_number(trace_label_name(trace, label), g);
}

/* Finds the goroutine whose states or regions a track shows at `tick`. */
static bool goroutine_of(const Trace *trace, const Track *track, int64_t tick, int64_t *g)
{
    const Track *thread = track->kind == TRACK_STATES ? track + 1 : track;
    if (lane_letter(trace, thread) == 'G') return go_lane_number(trace_string(trace, thread->name), g);
    return thread->kind == TRACK_THREAD && guest_at(trace, thread, tick, g);
}

bool go_cross_view_id(const Trace *trace, uint64_t slice, Bytes *out)
{
    const Track *track = &trace->tracks[trace->rows[trace_slice_row(trace, slice)].track];
    uint64_t     run;
    int64_t      g;
    char         text[32];
    if (go_lane_run(trace, slice, &run)) {
        if (!go_lane_number(trace_label_name(trace, trace_slice_label(trace, run)), &g)) return false;
    } else if (is_lane_of_runs(trace, track) ||
               !goroutine_of(trace, track, trace_slice_begin(trace, slice), &g)) {
        return false;
    }
    bytes_append(out, text, (size_t)snprintf(text, sizeof text, "G%" PRId64, g));
    return true;
}

/* -- the slice of a goroutine -- */

enum { MOST_LABELS = 4 };

typedef struct Hunt {
    const Trace *trace;
    int64_t      g, tick;
    uint64_t     found, distance; /* UINT64_MAX: not found yet */
    uint64_t     steps_left;
    uint32_t     labels[MOST_LABELS];
    unsigned     label_count;
} Hunt;

/* Returns the distance of the slice from the tick; 0 inside it. */
static uint64_t distance_of(const Hunt *hunt, uint64_t slice)
{
    const int64_t begin = trace_slice_begin(hunt->trace, slice), end = trace_slice_end(hunt->trace, slice);
    if (hunt->tick < begin) return (uint64_t)begin - (uint64_t)hunt->tick;
    return hunt->tick > end ? (uint64_t)hunt->tick - (uint64_t)end : 0;
}

static void offer(Hunt *hunt, uint64_t slice)
{
    const uint64_t distance = distance_of(hunt, slice);
    if (distance >= hunt->distance) return;
    hunt->found = slice;
    hunt->distance = distance;
}

/* Finds the labels of the goroutine's runs: one or two, the first of them without the function's name if that was
 * unknown. */
static void find_labels(Hunt *hunt)
{
    for (uint32_t label = 1; label <= hunt->trace->label_count && hunt->label_count < MOST_LABELS; label++) {
        int64_t g;
        if (is_run_label(hunt->trace, label) && go_lane_number(trace_label_name(hunt->trace, label), &g) &&
            g == hunt->g)
            hunt->labels[hunt->label_count++] = label;
    }
}

static bool is_its_run(const Hunt *hunt, uint64_t slice)
{
    for (unsigned i = 0; i < hunt->label_count; i++) {
        if (trace_slice_label(hunt->trace, slice) == hunt->labels[i]) return true;
    }
    return false;
}

/* Searches from the tick to both sides, while a nearer slice is possible. */
static void hunt_runs(Hunt *hunt, const Row *row)
{
    const uint64_t middle = row->first_slice + row_lower_bound(hunt->trace, row, hunt->tick);
    const uint64_t end = row->first_slice + row->slice_count;
    for (uint64_t s = middle; s > row->first_slice && hunt->steps_left > 0; hunt->steps_left--) {
        if (distance_of(hunt, --s) >= hunt->distance) break;
        if (is_its_run(hunt, s)) offer(hunt, s);
    }
    for (uint64_t s = middle; s < end && hunt->steps_left > 0; s++, hunt->steps_left--) {
        if (distance_of(hunt, s) >= hunt->distance) break;
        if (is_its_run(hunt, s)) offer(hunt, s);
    }
}

/* Offers the state at the tick. At a boundary the later state wins. */
static void hunt_states(Hunt *hunt, const Track *track)
{
    int64_t g;
    if (track_row_count(track) == 0 || !goroutine_of(hunt->trace, track, hunt->tick, &g) || g != hunt->g)
        return;
    const Row *row = &hunt->trace->rows[track->first_row];
    uint32_t   at = row_slice_at(hunt->trace, row, hunt->tick);
    if (at == UINT32_MAX) {
        at = row_lower_bound(hunt->trace, row, hunt->tick);
        if (at > 0) offer(hunt, row->first_slice + at - 1);
        if (at == row->slice_count) return;
    }
    offer(hunt, row->first_slice + at);
}

bool go_find_cross_view_id(const Trace *trace, StringView id, uint8_t perspectives, int64_t tick,
                           uint64_t *slice)
{
    enum { MOST_STEPS = 4 << 20 };
    Hunt hunt = {
        .trace = trace, .tick = tick, .found = UINT64_MAX, .distance = UINT64_MAX, .steps_left = MOST_STEPS
    };
    if (id.size < 2 || id.bytes[0] != 'G' || !go_lane_number(id, &hunt.g)) return false;
    find_labels(&hunt);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track  *track = &trace->tracks[t];
        const uint8_t seen = trace->processes[track->process.index].perspectives;
        if (track->process.index == PROCESS_NONE.index || seen == 0 ||
            (perspectives != 0 && (seen & perspectives) == 0))
            continue;
        if (is_lane_of_runs(trace, track)) hunt_runs(&hunt, &trace->rows[track->first_row]);
        if (track->kind == TRACK_STATES) hunt_states(&hunt, track);
    }
    *slice = hunt.found;
    return hunt.found != UINT64_MAX;
}
