/* format/heph/writer_values.h - converts arguments in JSON to typed attributes.
 *
 * Integers >= 0 become unsigned, negative integers signed, other numbers doubles, strings strings. An array has the
 * type of its elements: signed for integers of both signs, double for integers and fractions if doubles represent the
 * integers exactly. Other values (true, null, objects, nested or mixed arrays, numbers out of range) become a string
 * of their JSON.
 *
 * Types stored beside the arguments (types.h) take precedence if the value has that type. */
#ifndef FORMAT_HEPH_WRITER_VALUES_H
#define FORMAT_HEPH_WRITER_VALUES_H
#include "base/json_members.h"

typedef struct HephValues {
    Bytes       text, number; /* scratch */
    JsonMembers nans;         /* the bits of the event's next NaNs */
    /* numbers of truncated texts and arrays, and of values as text */
    uint64_t cut_texts, cut_arrays, as_texts;
} HephValues;

/* Appends the attributes of the arguments `json`: one for each member of an object; one called "args" for another
 * value. `beside` is the object beside the arguments of a Heph trace in JSON, or empty. */
void heph_put_attributes(HephValues *values, StringView json, StringView beside, Bytes *out);

/* Returns the decoded text of a JSON string, valid until the next call. */
StringView heph_unquote(HephValues *values, StringView quoted);

void heph_values_release(HephValues *values);

#endif
