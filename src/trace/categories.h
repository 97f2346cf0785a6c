/* trace/categories.h - the categories of a trace, numbered, and sets of them.
 *
 * The category of a label is a list: "gc,v8" is the two categories gc and v8 (split at commas, without blanks around
 * them, empty ones left out). A label without any belongs to category 0. The others are numbered from 1
 * in the order of the labels, then of the counters; so the same trace gives the same numbers everywhere.
 *
 * Sets of categories are text: numbers and ranges in rising order with commas between, "0,3-7,12"; "" is the empty set. */
#ifndef TRACE_CATEGORIES_H
#define TRACE_CATEGORIES_H
#include "trace/filter.h"

typedef struct Categories {
    const Trace *trace;
    StringTable *names;   /* id = number */
    uint32_t     count;   /* numbers are below it; at least 1 */
    uint32_t    *first;   /* by label id, and one more: into `members` */
    uint32_t    *members; /* numbers of the label's categories; may hold one twice when the label does */
} Categories;

/* Lists all; everything lives in `arena`. Linear in the labels. False when out of memory. */
bool categories_list(const Trace *trace, Arena *arena, Categories *categories) WARN_UNUSED;
/* "" for 0. */
StringView category_name(const Categories *categories, uint32_t number);
/* The number of a name ("" is 0); UINT32_MAX when no label has it. */
uint32_t category_find(const Categories *categories, StringView name);

/* set[number] = 1 for each of the text; set has `count` bytes, zeroed. Numbers there are not are left out.
 * False when the text is not such a list. */
bool categories_parse(const Categories *categories, StringView text, uint8_t *set) WARN_UNUSED;
void categories_print(const Categories *categories, const uint8_t *set, Bytes *out);
/* True for a category that is hidden initially: the overhead of tracing. */
bool category_is_hidden_at_first(StringView name);
void categories_print_hidden_at_first(const Categories *categories, Bytes *out);

/* Whether all categories of a label are in the set: an event shows as long as any of its categories does. */
bool categories_hide_label(const Categories *categories, const uint8_t *set, uint32_t label);
/* The same for a category as an event writes it. */
bool categories_hide_text(const Categories *categories, const uint8_t *set, StringView text);
/* Returns the filter that hides a set (not ""). NULL: err filled, ERR_USAGE if the text is not a set. */
Filter *categories_filter(const Categories *categories, StringView set, unsigned threads, Progress *progress,
                          Err *err) WARN_UNUSED;
/* filter_catch_up of such a filter. */
bool categories_catch_up(const Categories *categories, StringView set, Filter *filter) WARN_UNUSED;

#endif
