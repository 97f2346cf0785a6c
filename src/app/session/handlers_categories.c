/* The list of categories, and the filters that hide some of them. */
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/slot_filters.h"
#include "app/session/slot_live.h"
#include "base/lock.h"
#include "base/lru.h"
#include "trace/store/categories.h"
#include "trace/store/lookup.h"

#include <assert.h>

/* Limit on the cached filters of a trace: the present and the previous one of the view, and one or two of
 * other windows. */
enum { KEPT_FILTERS = 8 };

typedef struct KeptFilter {
    Bytes    set;        /* the hidden categories */
    Filter  *filter;     /* owned; NULL = unused entry */
    uint32_t users;      /* the number of requests that read it now */
    uint64_t used;       /* the time of its last use */
    uint64_t generation; /* the generation of a growing trace that it filters */
} KeptFilter;

struct SlotFilters {
    Lock      *lock; /* protects the members below; held while a filter is built, so that it is built once */
    KeptFilter kept[KEPT_FILTERS];
    uint64_t   clock;
};

SlotFilters *slot_filters_create(Arena *arena)
{
    SlotFilters *filters = ARENA_NEW(arena, SlotFilters);
    if (filters != NULL) filters->lock = lock_create(arena);
    return filters == NULL || filters->lock == NULL ? NULL : filters;
}

static void kept_release(KeptFilter *kept)
{
    filter_release(kept->filter);
    bytes_release(&kept->set);
    *kept = (KeptFilter){ .filter = NULL };
}

void slot_filters_destroy(SlotFilters *filters)
{
    if (filters == NULL) return;
    for (size_t i = 0; i < KEPT_FILTERS; i++)
        kept_release(&filters->kept[i]);
    lock_destroy(filters->lock);
}

void slot_filters_age(SlotFilters *filters, uint64_t generation)
{
    enum { GENERATIONS = 64 };
    assert(generation > 0);
    lock_take(filters->lock);
    for (size_t i = 0; i < KEPT_FILTERS; i++)
        if (filters->kept[i].filter != NULL && generation - filters->kept[i].generation > GENERATIONS)
            kept_release(&filters->kept[i]);
    lock_give(filters->lock);
}

/* Returns the cached filter of the set, or NULL. */
static KeptFilter *find_kept(SlotFilters *filters, StringView set)
{
    for (size_t i = 0; i < KEPT_FILTERS; i++) {
        KeptFilter *kept = &filters->kept[i];
        if (kept->filter == NULL) continue;
        if (string_equal(set, bytes_view(&kept->set))) return kept;
    }
    return NULL;
}

/* Updates the filter of a growing trace. No request reads it now, because the trace has changed since its
 * last use. NULL: the filter was released. */
static KeptFilter *catch_up(RequestContext *ctx, KeptFilter *kept)
{
    const uint64_t   generation = live_generation(ctx->slot->live);
    const StringView set = bytes_view(&kept->set);
    Categories       categories;
    assert(kept->generation <= generation);
    if (kept->generation == generation) return kept;
    kept->generation = generation;
    if (categories_list(ctx->trace, ctx->arena, &categories) &&
        categories_catch_up(&categories, set, kept->filter))
        return kept;
    kept_release(kept);
    return NULL;
}

/* Returns an entry for a new filter: unused, or that of the least recently used filter. NULL if all are in
 * use. */
static KeptFilter *free_place(SlotFilters *filters)
{
    size_t place;
    LRU_CHOOSE(place, KEPT_FILTERS, i, false, filters->kept[i].users == 0, filters->kept[i].used);
    if (place == KEPT_FILTERS) return NULL;
    kept_release(&filters->kept[place]);
    return &filters->kept[place];
}

static KeptFilter *make_filter(RequestContext *ctx, StringView set, Err *err)
{
    Categories  categories;
    KeptFilter *kept = free_place(ctx->slot->filters);
    assert(kept == NULL || (kept->filter == NULL && kept->users == 0));
    if (kept == NULL) {
        err_set(err, ERR_LIMIT, "too many filters are in use at once");
        return NULL;
    }
    if (!categories_list(ctx->trace, ctx->arena, &categories)) {
        err_set(err, ERR_MEMORY, "out of memory for the categories");
        return NULL;
    }
    bytes_append(&kept->set, set.bytes, set.size);
    kept->filter = categories_filter(&categories, set, 0, NULL, err);
    kept->generation = live_generation(ctx->slot->live);
    if (kept->filter != NULL && kept->set.failed) err_set(err, ERR_MEMORY, "out of memory for a filter");
    if (kept->filter != NULL && !kept->set.failed) return kept;
    kept_release(kept);
    return NULL;
}

/* Returns the slot's filter of the set, in use until release_filter. NULL: err filled. */
static const Filter *use_filter(RequestContext *ctx, StringView set, Err *err)
{
    SlotFilters *filters = ctx->slot->filters;
    lock_take(filters->lock);
    KeptFilter *kept = find_kept(filters, set);
    if (kept != NULL) kept = catch_up(ctx, kept);
    if (kept == NULL) kept = make_filter(ctx, set, err);
    if (kept != NULL) {
        kept->users++;
        kept->used = ++filters->clock;
    }
    lock_give(filters->lock);
    ctx->filter = kept;
    return kept == NULL ? NULL : kept->filter;
}

/* Returns a filter of the request's copy of a trace: only for its labels. NULL: err filled. */
static const Filter *filter_copy(RequestContext *ctx, StringView set, Err *err)
{
    Categories categories;
    assert(ctx->has_copy && ctx->copy_filter == NULL);
    if (categories_list(ctx->trace, ctx->arena, &categories))
        ctx->copy_filter = categories_label_filter(&categories, set, err);
    else
        err_set(err, ERR_MEMORY, "out of memory for the categories");
    return ctx->copy_filter;
}

bool param_filter(RequestContext *ctx, const Filter **filter)
{
    const StringView *set = request_param(ctx->request, "hide");
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    *filter = NULL;
    if (set == NULL || set->size == 0) return true;
    *filter = ctx->has_copy ? filter_copy(ctx, *set, &err) : use_filter(ctx, *set, &err);
    if (*filter != NULL) return true;
    if (err.code != ERR_USAGE) return answer_fail_err(ctx->answer, &err);
    return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                       "hide= must be numbers of categories, like 0,3-7,12");
}

void release_filter(RequestContext *ctx)
{
    filter_release(ctx->copy_filter);
    ctx->copy_filter = NULL;
    if (ctx->filter == NULL) return;
    lock_take(ctx->slot->filters->lock);
    ctx->filter->users--;
    lock_give(ctx->slot->filters->lock);
    ctx->filter = NULL;
}

bool param_filter_number(RequestContext *ctx, uint32_t *number)
{
    uint64_t value = 0;
    if (!param_optional(ctx, "filter", UINT32_MAX, &value)) return false;
    *number = (uint32_t)value;
    return true;
}

/* ---- the list ---- */

typedef struct CategoryCounts {
    uint64_t slices, instants, counters;
} CategoryCounts;

/* The numbers of slices and of instants of each label. */
typedef struct LabelCounts {
    uint64_t *slices, *instants;
} LabelCounts;

static bool count_labels(const Trace *trace, Arena *arena, LabelCounts *counts)
{
    const size_t labels = (size_t)trace->label_count + 1;
    *counts = (LabelCounts){ ARENA_ARRAY(arena, uint64_t, labels), ARENA_ARRAY(arena, uint64_t, labels) };
    if (counts->slices == NULL || counts->instants == NULL) return false;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row       *row = &trace->rows[r];
        const RowExtras *extras = row_extras(row);
        for (uint32_t i = 0; i < row->slice_count; i++)
            counts->slices[trace_slice_label(trace, row->first_slice + i)]++;
        for (uint32_t i = 0; i < extras->instant_count; i++)
            counts->instants[trace_instant_label(trace, extras->first_instant + i)]++;
    }
    return true;
}

static CategoryCounts *count_categories(const Trace *trace, const Categories *categories, Arena *arena)
{
    CategoryCounts *counts = ARENA_ARRAY(arena, CategoryCounts, categories->count);
    LabelCounts     labels;
    if (counts == NULL || !count_labels(trace, arena, &labels)) return NULL;
    for (uint32_t label = 0; label <= trace->label_count; label++) {
        for (uint32_t i = categories->first[label]; i < categories->first[label + 1]; i++) {
            counts[categories->members[i]].slices += labels.slices[label];
            counts[categories->members[i]].instants += labels.instants[label];
        }
    }
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        if (trace->tracks[t].kind != TRACK_COUNTER) continue;
        uint32_t number =
            category_find(categories, trace_string(trace, track_extras(&trace->tracks[t])->category));
        if (number != UINT32_MAX) counts[number].counters++;
    }
    return counts;
}

void handle_categories(RequestContext *ctx)
{
    Categories      categories;
    CategoryCounts *counts = NULL;
    if (categories_list(ctx->trace, ctx->arena, &categories))
        counts = count_categories(ctx->trace, &categories, ctx->arena);
    if (counts == NULL) {
        answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the categories");
        return;
    }
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_array(&w, "categories");
    for (uint32_t number = 0; number < categories.count; number++) {
        StringView name = category_name(&categories, number);
        json_object_begin(&w);
        json_put_u64(&w, "id", number);
        if (number == 0)
            json_put_null(&w, "name");
        else
            json_put_view(&w, "name", name);
        json_put_u64(&w, "slices", counts[number].slices);
        json_put_u64(&w, "instants", counts[number].instants);
        json_put_u64(&w, "counters", counts[number].counters);
        json_put_bool(&w, "hidden", category_is_hidden_at_first(name));
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
}
