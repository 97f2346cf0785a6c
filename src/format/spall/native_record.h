/* format/spall/native_record.h - the records of native streams. For format/spall only.
 *
 * The versions are rows of a table. The published version 1 has records of fixed size:
 *
 *     offset size  MicroBegin, 24 bytes; MicroEnd, 8 bytes (test/data/spall/syn_auto_v1)
 *          0    8  time in the low 56 bits, type in the highest byte: 1 = begin, 2 = end
 *          8    8  address of the function
 *         16    8  return address in its caller
 *
 * The released version 2 and version 3 have packed records: each begins with a tag, and times and addresses are
 * differences from the record before; each buffer starts from 0 (test/data/spall/auto_v3, syn_auto_v2):
 *
 *     tag bits 7..6  0 MicroBegin: bits 5..4, 3..2, 1..0 = log2 of the bytes of time, address and caller, which follow
 *                    1 MicroEnd: bits 5..4 = log2 of the bytes of time, which follows; bits 3..0 zero
 *                    2 extended: bits 5..4 = 1, a named Begin; bits 3..2 = log2 of the bytes of time; bits 1 and 0: the
 *                      sizes of name and arguments have two bytes, not one. Then time, both sizes, both texts */
#ifndef FORMAT_SPALL_NATIVE_RECORD_H
#define FORMAT_SPALL_NATIVE_RECORD_H
#include "base/attr.h"
#include "format/spall/layout.h"

enum { NATIVE_MAX_FIXED = 25, NATIVE_MAX_TEXT = UINT16_MAX };

typedef struct NativeLayout {
    const char *version;
    uint8_t     frame_size; /* of a buffer's header: size u32 @0, tid u32 @4 */
    uint8_t     first_ts;   /* offset in it of the u64 from which times count; 0 = times are absolute */
    uint8_t     max_depth;  /* offset in it of a u32, which is not used; 0 = absent */
    bool        is_packed;  /* else the records of version 1 */
    /* the header has the base address of the program, else the address of a function */
    bool has_base;
    bool is_released; /* no other layout was written with this version number */
} NativeLayout;

/* Returns the layout of a version from 1 to 3, or NULL. */
const NativeLayout *native_layout_of_version(uint64_t version);

/* The decoding state: the values to which records add their differences. */
typedef struct NativeState {
    uint64_t time, address, caller;
} NativeState;

typedef enum { NATIVE_BEGIN, NATIVE_END, NATIVE_NAMED, NATIVE_KINDS } NativeKind;

typedef struct NativeRecord {
    NativeKind kind;
    uint64_t   size; /* with its texts */
    uint32_t   name_at, name_size;
    uint32_t   args_at, args_size;
} NativeRecord;

typedef enum {
    NATIVE_TAKEN,
    NATIVE_SHORT, /* at least record->size bytes are needed */
    NATIVE_BAD    /* not a record */
} NativeOutcome;

/* Decodes the record at the start of `bytes` (size > 0). Changes the state only if the record is decoded. */
NativeOutcome native_decode(const NativeLayout *layout, const uint8_t *bytes, size_t size, NativeState *state,
                            NativeRecord *record);

#endif
