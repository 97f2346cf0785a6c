#include "view/align.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/select.h"

/* The text of a link: parts joined by ';', each a letter and its value. Unknown parts are ignored:
 *   1                              the version
 *   aO,O,...                       the alignment: an offset of each trace, in ticks from its begin
 *   rBEGIN,END                     the range, in ticks of trace 0
 *   yPX                            the vertical scroll
 *   cT.K,T.K,...  pT.I,T.I,...     closed tracks (trace, track id) and processes (trace, index)
 *   hT.SET                         the hidden categories of a trace, if not the default
 *   vNAME                          the perspective, if not "all"
 *   sT.K.ROW.SLICE.BEGIN.EXTENT.LABEL   the selected slice */

static void save_closed(const View *view, Bytes *out)
{
    const char *separator = ";c";
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        for (uint32_t i = 0; i < trace->outline.track_count; i++) {
            if ((trace->track_flags[i] & TRACK_CLOSED) == 0) continue;
            bytes_printf(out, "%s%u.%u", separator, t, trace->outline.tracks[i].id);
            separator = ",";
        }
    }
    separator = ";p";
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        for (uint32_t i = 0; i < trace->outline.process_count; i++) {
            if ((trace->process_flags[i] & TRACK_CLOSED) == 0) continue;
            bytes_printf(out, "%s%u.%u", separator, t, i);
            separator = ",";
        }
    }
}

static void save_alignment(const View *view, Bytes *out)
{
    const uint64_t *anchors = align_anchors(view);
    for (uint32_t t = 0; anchors != NULL && t < view->trace_count; t++)
        bytes_printf(out, "%s%llu", t == 0 ? ";a" : ",", (unsigned long long)anchors[t]);
}

static void save_hidden(const View *view, Bytes *out)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        StringView set = view_hidden(view, t);
        if (string_equal(set, view_trace(view, t)->outline.hidden)) continue;
        bytes_printf(out, ";h%u.", t);
        bytes_append(out, set.bytes, set.size);
    }
}

void view_save_state(const View *view, Bytes *out)
{
    int64_t begin, end;
    bytes_append_text(out, "1");
    if (view->trace_count == 0) return;
    save_alignment(view, out);
    view_get_range(view, 0, &begin, &end);
    bytes_printf(out, ";r%lld,%lld;y%lld", (long long)begin, (long long)end,
                 (long long)view->position.target_px);
    save_closed(view, out);
    save_hidden(view, out);
    if (view->perspective[0] != 0) bytes_printf(out, ";v%s", view->perspective);
    const SlicePlace *s = &view->selection.slice;
    if (view->selection.has_slice)
        bytes_printf(out, ";s%u.%u.%u.%llu.%llu.%llu.%u", s->trace, s->track, s->row,
                     (unsigned long long)s->slice, (unsigned long long)s->begin,
                     (unsigned long long)s->extent, s->label);
}

typedef struct Scan {
    const char *at, *end;
} Scan;

static bool scan_u64(Scan *scan, uint64_t *value)
{
    const char *start = scan->at;
    *value = 0;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9') {
        uint64_t digit = (uint64_t)(*scan->at - '0');
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
        scan->at++;
    }
    return scan->at > start;
}

static bool scan_u32(Scan *scan, uint32_t *value)
{
    uint64_t wide;
    if (!scan_u64(scan, &wide) || wide > UINT32_MAX) return false;
    *value = (uint32_t)wide;
    return true;
}

static bool scan_i64(Scan *scan, int64_t *value)
{
    bool     negative = scan->at < scan->end && *scan->at == '-';
    uint64_t magnitude;
    scan->at += negative;
    if (!scan_u64(scan, &magnitude) || magnitude > INT64_MAX) return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool scan_char(Scan *scan, char c)
{
    if (scan->at == scan->end || *scan->at != c) return false;
    scan->at++;
    return true;
}

/* Aligns the traces if there is an offset for each, unless they are aligned so already. */
static void load_alignment(View *view, Scan *part)
{
    const uint64_t *now = align_anchors(view);
    const size_t    size = view->trace_count * sizeof *now;
    Bytes           anchors = { 0 };
    uint64_t        offset;
    do {
        if (!scan_u64(part, &offset)) break;
        bytes_append(&anchors, &offset, sizeof offset);
    } while (anchors.size <= size && scan_char(part, ','));
    const bool is_whole = part->at == part->end && anchors.size == size && !anchors.failed;
    if (is_whole && (now == NULL || memcmp(now, anchors.data, size) != 0))
        (void)view_align(view, (const uint64_t *)(const void *)anchors.data,
                         view->now_ms); /* without memory: as before */
    bytes_release(&anchors);
}

static void load_closed(View *view, Scan *part, bool processes)
{
    do {
        uint32_t t, id;
        if (!scan_u32(part, &t) || !scan_char(part, '.') || !scan_u32(part, &id)) return;
        if (t >= view->trace_count) continue;
        TraceView *trace = view_trace(view, t);
        uint32_t   index = processes ? id : view_track_index(trace, id);
        if (processes && index < trace->outline.process_count)
            trace->process_flags[index] |= TRACK_CLOSED;
        else if (!processes && index < trace->outline.track_count)
            trace->track_flags[index] |= TRACK_CLOSED;
    } while (scan_char(part, ','));
}

static void load_selection(View *view, Scan *part)
{
    SlicePlace s = { 0 };
    if (!scan_u32(part, &s.trace) || !scan_char(part, '.') || !scan_u32(part, &s.track) ||
        !scan_char(part, '.') || !scan_u32(part, &s.row) || !scan_char(part, '.') ||
        !scan_u64(part, &s.slice) || !scan_char(part, '.') || !scan_u64(part, &s.begin) ||
        !scan_char(part, '.') || !scan_u64(part, &s.extent) || !scan_char(part, '.') ||
        !scan_u32(part, &s.label))
        return;
    if (s.trace >= view->trace_count || view_track_index(view_trace(view, s.trace), s.track) == UINT32_MAX)
        return;
    view->selection.has_slice = true;
    view->selection.slice = s;
    view_push_event(
        view,
        &(ViewEvent){
            .kind = VIEW_EVENT_SELECT, .has_place = true, .place = s, .trace = s.trace, .exact = true });
}

static void load_part(View *view, Scan part)
{
    int64_t begin, end, scroll;
    switch (*part.at++) {
    case 'a':
        load_alignment(view, &part);
        break;
    case 'r':
        if (scan_i64(&part, &begin) && scan_char(&part, ',') && scan_i64(&part, &end))
            view_set_range(view, 0, begin, end, view->now_ms);
        break;
    case 'y':
        layout_build(view);
        if (scan_i64(&part, &scroll)) view_set_scroll(view, (double)scroll);
        break;
    case 'c':
        load_closed(view, &part, false);
        break;
    case 'p':
        load_closed(view, &part, true);
        break;
    case 'h': {
        uint32_t trace;
        if (scan_u32(&part, &trace) && scan_char(&part, '.'))
            (void)view_set_hidden(view, trace, part.at, (size_t)(part.end - part.at));
        break;
    }
    case 'v':
        (void)view_set_perspective(view, part.at, (size_t)(part.end - part.at));
        break;
    case 's':
        load_selection(view, &part);
        break;
    default:
        break;
    }
    view->layout.stale = true;
}

static const char *part_end(const char *at, const char *end)
{
    while (at < end && *at != ';')
        at++;
    return at;
}

bool view_load_state(View *view, const char *text, size_t size)
{
    const char *end = text + size, *at = text;
    if (size == 0 || text[0] != '1' || (size > 1 && text[1] != ';')) return false;
    /* The limit of the scroll depends on the closed groups: 'y' is loaded last. */
    for (int pass = 0; pass < 2; pass++) {
        at = part_end(text, end);
        while (at < end) {
            const char *stop = part_end(++at, end);
            if (stop > at && (*at == 'y') == (pass == 1)) load_part(view, (Scan){ at, stop });
            at = stop;
        }
    }
    camera_settle(&view->position.camera);
    view->picture.is_stale = true;
    return true;
}
