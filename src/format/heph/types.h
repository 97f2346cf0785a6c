/* format/heph/types.h - the types of attributes and the bits of NaNs, as JSON.
 *
 * JSON does not distinguish u64, i64 and f64. So the types and bits are stored beside the arguments, in the fields
 * HEPH_TYPES_KEY and HEPH_NANS_KEY. The writer reads them from there. */
#ifndef FORMAT_HEPH_TYPES_H
#define FORMAT_HEPH_TYPES_H
#include "base/json_writer.h"

#define HEPH_TYPES_KEY "types" /* an object: the name of the type of each attribute */
#define HEPH_NANS_KEY                                                                                        \
    "nan_bits" /* the bits of all NaNs in order, if one of them differs from HEPH_NAN_BITS */

/* Returns the name of a valid type: "u64", "i64", "f64", "string", and "u64[]" ... for arrays. */
const char *heph_type_name(uint8_t type);
/* Returns the type with this name; 0 = no such type. */
uint8_t heph_type_named(StringView name);

/* Writes a double by its bits; values without a JSON number as "Infinity", "-Infinity" and "NaN". */
void heph_double_write(JsonWriter *w, uint64_t bits);
/* Reads one of these three texts; a NaN gets HEPH_NAN_BITS. False for another text. */
bool heph_double_read(StringView text, uint64_t *bits);

#define HEPH_NAN_BITS UINT64_C(0x7ff8000000000000) /* the usual bits of a NaN */
bool heph_is_nan(uint64_t bits);
/* Write and read the bits of a NaN as "0x7ff8000000000000". False if the text is not the bits of a NaN. */
void heph_nan_bits_write(JsonWriter *w, uint64_t bits);
bool heph_nan_bits_read(StringView text, uint64_t *bits);

#endif
