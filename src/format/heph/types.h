/* format/heph/types.h - what JSON does not say of attributes: their types, and the bits of NaNs.
 *
 * JSON does not tell u64, i64 and f64 apart. So these stand beside the arguments, in the fields HEPH_TYPES_KEY and
 * HEPH_NANS_KEY, and the writer takes them from there again. */
#ifndef FORMAT_HEPH_TYPES_H
#define FORMAT_HEPH_TYPES_H
#include "base/json_writer.h"

#define HEPH_TYPES_KEY "types"   /* an object: the name of the type of each attribute */
#define HEPH_NANS_KEY "nan_bits" /* where a NaN has other bits than the usual ones: the bits of all NaNs, in order */

/* Returns the name of a valid type: "u64", "i64", "f64", "string", and "u64[]" ... for arrays. */
const char *heph_type_name(uint8_t type);
/* Returns the type of this name; 0 = no such type. */
uint8_t heph_type_named(StringView name);

/* Writes a double by its bits; those that JSON has no numbers for as "Infinity", "-Infinity" and "NaN". */
void heph_double_write(JsonWriter *w, uint64_t bits);
/* Reads one of these texts; a NaN has the usual bits. False when it is none. */
bool heph_double_read(StringView text, uint64_t *bits);

#define HEPH_NAN_BITS UINT64_C(0x7ff8000000000000) /* the usual ones */
bool heph_is_nan(uint64_t bits);
/* "0x7ff8000000000000" and back. False when the text is not the bits of a NaN. */
void heph_nan_bits_write(JsonWriter *w, uint64_t bits);
bool heph_nan_bits_read(StringView text, uint64_t *bits);

#endif
