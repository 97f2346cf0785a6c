#include "analysis/find_match.h"

#include "base/ascii.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <assert.h>
#include <stdio.h>

#define LABEL_COMPARED ((uint32_t)1 << 31)
static_assert(FIND_TERMS_MAX < 31, "a bit for each term, and LABEL_COMPARED");

/* True if the verdict is FIND_MATCHES; notes that an expression gave up. */
static bool is_match(FindMatcher *m, FindVerdict verdict)
{
    m->gave_up |= verdict == FIND_FAILS;
    return verdict == FIND_MATCHES;
}

/* -- tracks -- */

/* True if the text is the track's thread id. */
static bool has_tid(const Trace *trace, const Track *track, StringView text)
{
    char number[24];
    int  size = 0;
    switch (track->tid_kind) {
    case IDENT_NONE:
        return false;
    case IDENT_TEXT:
        return string_equal(trace_string(trace, (StringId){ (uint32_t)track->tid_bits }), text);
    case IDENT_INT:
        size = snprintf(number, sizeof number, "%lld", (long long)track->tid_bits);
        break;
    case IDENT_UINT:
        size = snprintf(number, sizeof number, "%llu", (unsigned long long)track->tid_bits);
        break;
    }
    return string_equal((StringView){ number, (size_t)size }, text);
}

/* True if the track matches every thread: term, by its title (in m->scratch), name or thread id. */
static bool has_threads(FindMatcher *m, uint32_t track)
{
    const FindPattern *pattern = m->pattern;
    const Track       *t = &m->trace->tracks[track];
    for (uint32_t i = 0; i < pattern->thread_count; i++) {
        const FindText *text = &pattern->threads[i];
        const bool      matches = is_match(m, find_text_verdict(text, bytes_view(&m->scratch))) ||
                             is_match(m, find_text_verdict(text, trace_string(m->trace, t->name))) ||
                             (text->how != FIND_REGEX && has_tid(m->trace, t, text->text));
        if (!matches) return false;
    }
    return true;
}

static void compare_tracks(FindMatcher *m)
{
    for (uint32_t track = 1; track <= m->trace->track_count; track++) {
        if (m->scope.tracks != NULL && !m->scope.tracks[track]) continue;
        bytes_clear(&m->scratch);
        if (m->pattern->thread_count > 0) trace_track_title(m->trace, track, &m->scratch);
        m->tracks[track] = has_threads(m, track);
    }
}

/* Sets the bits of the terms that need more than a name. */
static void sort_terms(FindMatcher *m)
{
    for (uint32_t i = 0; i < m->pattern->term_count; i++) {
        const FindField field = m->pattern->terms[i].field;
        const uint32_t  bit = (uint32_t)1 << i;
        if (field == FIND_ANYWHERE || field == FIND_BY_KEY || field == FIND_BY_NUMBER) m->of_values |= bit;
        if (field == FIND_BY_NUMBER) m->of_numbers |= bit;
    }
}

bool find_matcher_open(FindMatcher *m, const Trace *trace, const FindPattern *pattern, const FindScope *scope,
                       Arena *arena, Err *err)
{
    *m = (FindMatcher){ .trace = trace, .pattern = pattern, .scope = *scope };
    m->labels = ARENA_ARRAY(arena, uint32_t, (size_t)trace->label_count + 1);
    m->tracks = ARENA_ARRAY(arena, uint8_t, (size_t)trace->track_count + 1);
    if (m->labels == NULL || m->tracks == NULL) return err_set(err, ERR_MEMORY, "out of memory for a search");
    m->all = ((uint32_t)1 << pattern->term_count) - 1;
    sort_terms(m);
    compare_tracks(m);
    if (m->scratch.failed) return err_set(err, ERR_MEMORY, "out of memory for a search");
    return find_matcher_check(m, err);
}

void find_matcher_release(FindMatcher *m)
{
    bytes_release(&m->scratch);
}

bool find_matcher_check(const FindMatcher *m, Err *err)
{
    return !m->gave_up ||
           err_set(err, ERR_USAGE,
                   "the regular expression takes too much work: repetitions inside of repetitions can be "
                   "written without one another");
}

/* -- events -- */

/* Returns a bit for each term that a name (or a title) and a category match. */
static uint32_t terms_of_texts(FindMatcher *m, StringView name, StringView category)
{
    uint32_t terms = 0;
    for (uint32_t i = 0; i < m->pattern->term_count; i++) {
        if (is_match(m, find_term_verdict_label(&m->pattern->terms[i], name, category)))
            terms |= (uint32_t)1 << i;
    }
    return terms;
}

uint32_t find_matcher_label(FindMatcher *m, uint32_t label)
{
    if (m->labels[label] == 0)
        m->labels[label] = LABEL_COMPARED | terms_of_texts(m, trace_label_name(m->trace, label),
                                                           trace_label_category(m->trace, label));
    return m->labels[label] & ~LABEL_COMPARED;
}

static bool has_duration(const FindMatcher *m, const FindCandidate *event)
{
    const FindPattern *pattern = m->pattern;
    if (!pattern->has_duration) return true;
    if (event->kind != ORDER_SLICE) return false;
    const uint64_t ticks = trace_slice_duration(m->trace, event->id);
    return ticks >= pattern->least_ticks && ticks <= pattern->most_ticks;
}

static bool is_in_window(const Trace *trace, const FindCandidate *event)
{
    if (!trace->window.is_set) return true;
    if (event->kind != ORDER_SLICE) return trace_window_has(trace, trace_instant_tick(trace, event->id));
    return trace_window_meets(trace, trace_slice_begin(trace, event->id), trace_slice_end(trace, event->id));
}

bool find_matcher_takes(FindMatcher *m, const FindCandidate *event, uint32_t *missing)
{
    if (m->pattern->is_empty || !m->tracks[event->track] || filter_hides_label(m->scope.filter, event->label))
        return false;
    *missing = m->all & ~find_matcher_label(m, event->label);
    if ((*missing & ~m->of_values) != 0 || !has_duration(m, event)) return false;
    return m->scope.times == FIND_ALL_TIMES || is_in_window(m->trace, event);
}

/* -- tracks and values of counters as results -- */

typedef struct Places {
    FindMatcher *matcher;
    FindPlaces  *out;
    uint64_t     most;
} Places;

static bool is_full(const Places *places)
{
    return vec_count(places->out) >= places->most || places->out->bytes.failed;
}

/* True if every comparison among the missing terms is about this series and holds for the value. */
static bool has_numbers(const FindMatcher *m, uint32_t missing, StringView counter, StringView series,
                        double value)
{
    for (uint32_t i = 0; i < m->pattern->term_count; i++) {
        const FindTerm *term = &m->pattern->terms[i];
        if ((missing & (uint32_t)1 << i) == 0) continue;
        if (term->field != FIND_BY_NUMBER || !find_term_has_number(term, value)) return false;
        if (!ascii_equal(counter, term->key) && !ascii_equal(series, term->key)) return false;
    }
    return true;
}

static void add_values(Places *places, uint32_t track, uint32_t row, uint32_t missing)
{
    FindMatcher     *m = places->matcher;
    const Trace     *trace = m->trace;
    const StringView counter = trace_string(trace, trace->tracks[track].name);
    const StringView series = trace_string(trace, trace->series[row_extras(&trace->rows[row])->series].name);
    const RowWindow  window = m->scope.times == FIND_IN_WINDOW ? row_window(trace, &trace->rows[row])
                                                               : row_whole(&trace->rows[row]);
    for (uint64_t i = window.first_sample; i < window.sample_end && !is_full(places); i++) {
        if (!has_numbers(m, missing, counter, series, trace_value(trace, i))) continue;
        const FindPlace place = { .track = track, .row = row, .has_value = true, .sample = i };
        vec_push(places->out, place);
    }
}

static void add_track(Places *places, uint32_t track)
{
    FindMatcher *m = places->matcher;
    const Track *t = &m->trace->tracks[track];
    bytes_clear(&m->scratch);
    trace_track_title(m->trace, track, &m->scratch);
    const uint32_t of_title = terms_of_texts(m, bytes_view(&m->scratch), STRING_LITERAL(""));
    if (m->of_numbers == 0) {
        const FindPlace place = { .track = track };
        if (of_title == m->all) vec_push(places->out, place);
        return;
    }
    for (uint32_t row = t->first_row; t->kind == TRACK_COUNTER && row < t->first_row + track_row_count(t);
         row++) {
        const StringView series =
            trace_string(m->trace, m->trace->series[row_extras(&m->trace->rows[row])->series].name);
        const uint32_t missing = m->all & ~of_title & ~terms_of_texts(m, series, STRING_LITERAL(""));
        if ((missing & ~m->of_numbers) == 0) add_values(places, track, row, missing);
    }
}

bool find_places(FindMatcher *m, uint64_t most, FindPlaces *out, Err *err)
{
    Places places = { m, out, most };
    /* A track has no duration; without a term for its title all tracks would match. */
    if (m->pattern->is_empty || m->pattern->has_duration || m->pattern->term_count == 0) return true;
    for (uint32_t track = 1; track <= m->trace->track_count && !is_full(&places); track++) {
        if (m->tracks[track]) add_track(&places, track);
    }
    if (out->bytes.failed || m->scratch.failed) return err_set(err, ERR_MEMORY, "out of memory for a search");
    return find_matcher_check(m, err);
}
