/* format/heph/writer_values.h - arguments in JSON as typed attributes.
 *
 * Whole numbers from 0 on are unsigned, below it signed, other numbers doubles; strings are strings. An array
 * is one of its elements' type: whole numbers of both signs signed, whole numbers among fractions doubles
 * where these hold them. All else (true, null, objects, what is nested or mixed, numbers beyond these types)
 * is a string of its JSON.
 *
 * Types that stand beside the arguments (types.h) go before this rule where the value is of the type. */
#ifndef FORMAT_HEPH_WRITER_VALUES_H
#define FORMAT_HEPH_WRITER_VALUES_H
#include "base/json_members.h"

typedef struct HephValues {
    Bytes       text, number; /* scratch */
    JsonMembers nans;         /* the bits of the next NaNs of the event */
    uint64_t    cut_texts, cut_arrays, as_texts; /* what did not fit */
} HephValues;

/* Appends the attributes of `json`, arguments as readers give them: one for each member; one called "args" for any
 * other value. `beside` is the object that stands beside the arguments of a Heph trace in JSON, or empty. */
void heph_put_attributes(HephValues *values, StringView json, StringView beside, Bytes *out);

/* The text of a JSON string, in scratch until the next call. */
StringView heph_unquote(HephValues *values, StringView quoted);

void heph_values_release(HephValues *values);

#endif
