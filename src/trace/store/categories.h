/* trace/store/categories.h - the categories of a trace, numbered, and sets of them.
 *
 * The category of a label is a list: "gc,v8" is the two categories gc and v8 (separated by commas; blanks around them
 * and empty ones are ignored). A label without a category belongs to category 0. The others are numbered from 1 in the
 * order of the labels, then of the counters; so the same trace always gives the same numbers.
 *
 * Sets of categories are text: numbers and ranges in ascending order, separated by commas, "0,3-7,12"; "" is the empty
 * set. */
#ifndef TRACE_STORE_CATEGORIES_H
#define TRACE_STORE_CATEGORIES_H
#include "trace/store/filter.h"

typedef struct Categories {
    const Trace *trace;
    StringTable *names; /* id = number */
    uint32_t     count; /* numbers are below it; at least 1 */
    uint32_t    *first; /* by label id, and one more: into `members` */
    /* numbers of the label's categories; one can occur twice if the label has it twice */
    uint32_t *members;
} Categories;

/* Lists all categories; everything is allocated in `arena`. Linear in the labels. False when out of memory. */
bool categories_list(const Trace *trace, Arena *arena, Categories *categories) WARN_UNUSED;
/* Returns the name of a category, "" for 0. */
StringView category_name(const Categories *categories, uint32_t number);
/* Returns the number of a name ("" is 0); UINT32_MAX if no label has it. */
uint32_t category_find(const Categories *categories, StringView name);

/* Sets set[number] = 1 for each number in the text; set has `count` bytes, zeroed. Unknown numbers are ignored. False
 * if the text is not a set. */
bool categories_parse(const Categories *categories, StringView text, uint8_t *set) WARN_UNUSED;
void categories_print(const Categories *categories, const uint8_t *set, Bytes *out);
/* True for a category that is hidden initially: the overhead of tracing. */
bool category_is_hidden_at_first(StringView name);
void categories_print_hidden_at_first(const Categories *categories, Bytes *out);

/* Returns the filter that hides a set (not ""). NULL: err filled, ERR_USAGE if the text is not a set. */
Filter *categories_filter(const Categories *categories, StringView text, unsigned threads, Progress *progress,
                          Err *err) WARN_UNUSED;
/* As categories_filter, made by filter_of_labels. */
Filter *categories_label_filter(const Categories *categories, StringView text, Err *err) WARN_UNUSED;
/* Calls filter_catch_up for a filter of categories_filter. */
bool categories_catch_up(const Categories *categories, StringView set, Filter *filter) WARN_UNUSED;

#endif
