/* format/heph/writer_values.h - arguments in JSON as typed attributes.
 *
 * Whole numbers from 0 on are unsigned, below it signed, other numbers doubles; strings are strings. An array
 * is one of its elements' type: whole numbers of both signs signed, whole numbers among fractions doubles
 * where these hold them. All else (true, null, objects, what is nested or mixed, numbers beyond these types)
 * is a string of its JSON. */
#ifndef FORMAT_HEPH_WRITER_VALUES_H
#define FORMAT_HEPH_WRITER_VALUES_H
#include "base/arena.h"
#include "base/string_table.h"

typedef struct HephValues {
    Bytes    text, number;                    /* scratch */
    uint64_t cut_texts, cut_arrays, as_texts; /* what did not fit */
} HephValues;

/* Appends the attributes of `json`, arguments as readers give them: one for each member; of what is no
 * object one called "args". */
void heph_put_attributes(HephValues *values, StringView json, Bytes *out);

/* The text of a JSON string, in scratch until the next call. */
StringView heph_unquote(HephValues *values, StringView quoted);

void heph_values_release(HephValues *values);

#endif
