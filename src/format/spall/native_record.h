/* format/spall/native_record.h - the records of native streams. For format/spall only.
 *
 * What differs between the versions is a row of a table. Version 1 as it was published has records of fixed size:
 *
 *     offset size  MicroBegin, 24 bytes; MicroEnd, 8 bytes (test/data/spall/syn_auto_v1)
 *          0    8  time in the low 56 bits, type in the highest byte: 1 = begin, 2 = end
 *          8    8  address of the function
 *         16    8  return address in its caller
 *
 * Versions 2 (as it was released) and 3 pack them: each begins with a tag, and times and addresses are differences from
 * the record before, which start anew in every buffer (test/data/spall/auto_v3, syn_auto_v2):
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
    uint8_t     first_ts;   /* u64 in it, from which the times of its records count; 0 = they are whole */
    uint8_t     max_depth;  /* u32 in it, not trusted; 0 = it has none */
    bool        is_packed;  /* else the records of version 1 */
    bool        has_base;   /* the header has the address of the program, else that of one of its functions */
    bool        is_released; /* nothing else was ever written under this version number */
} NativeLayout;

/* The layout of a version from 1 to 3, or NULL. */
const NativeLayout *native_layout_of_version(uint64_t version);

/* What records are differences from. */
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
    NATIVE_SHORT, /* more bytes are needed: record->size, or more than that */
    NATIVE_BAD    /* no record begins like this */
} NativeOutcome;

/* Decodes the record at the start of `bytes` (size > 0). Moves the state on only when it is taken. */
NativeOutcome native_decode(const NativeLayout *layout, const uint8_t *bytes, size_t size, NativeState *state,
                            NativeRecord *record);

#endif
