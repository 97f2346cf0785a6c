/* format/apitrace/signatures.h - the dictionaries of a capture: functions, structs, enums, bitmasks, stack frames.
 *
 * The first time an id occurs its definition follows it in the stream; later ones are the id alone. A definition
 * is known by its place: it follows exactly where the offset just behind the id is the one that is noted here. So
 * events can be read again, from any place that was read before, or because the first attempt had too few bytes.
 *
 * Entries never move and are never changed once they are there: threads may look up what was defined before they were
 * started while another one defines more. */
#ifndef FORMAT_APITRACE_SIGNATURES_H
#define FORMAT_APITRACE_SIGNATURES_H
#include "base/arena.h"
#include "base/string_table.h"

/* What a function is for: colours and statistics go by it. */
typedef enum {
    FAMILY_STATE, /* all that is nothing else */
    FAMILY_DRAW,
    FAMILY_UPLOAD,
    FAMILY_QUERY,
    FAMILY_SYNC,
    FAMILY_FRAME_END,
    FAMILY_MARKER,
    FAMILY_CONTEXT, /* GLX, EGL, WGL, CGL */
    FAMILY_MEMORY,  /* malloc and its kin, as the tracer notes them */
    FAMILY_COUNT
} ApiFamily;

typedef struct FunctionSig {
    uint32_t    id;
    uint32_t    flags; /* CALL_ of call_flags.h */
    ApiFamily   family;
    uint32_t    label;        /* LabelId of its calls, once the reader made one */
    uint32_t    fake_label;   /* the same for calls that the program did not make */
    bool        is_get_error; /* glGetError without arguments */
    uint32_t    arg_count;
    StringView  name;
    StringView *args;
} FunctionSig;

typedef struct StructSig {
    uint32_t    id;
    bool        is_guid; /* named GUID, with four members */
    uint32_t    member_count;
    StringView  name;
    StringView *members; /* an empty name: its members belong to the outer struct */
} StructSig;

typedef struct EnumEntry {
    StringView name;
    int64_t    value;
} EnumEntry;

typedef struct EnumSig {
    uint32_t   id;
    uint32_t   count;
    EnumEntry *entries; /* in table order */
    uint32_t  *slots;   /* hash of value -> index of the first entry with it + 1; slot_mask + 1 of them */
    uint32_t   slot_mask;
} EnumSig;

typedef struct BitmaskEntry {
    StringView name;
    uint64_t   value;
} BitmaskEntry;

typedef struct BitmaskSig {
    uint32_t      id;
    uint32_t      count;
    BitmaskEntry *entries;
} BitmaskSig;

/* Whatever is missing is unknown: bytes NULL, has_ false. */
typedef struct FrameSig {
    uint32_t   id;
    StringView module, function, file;
    uint64_t   line, offset;
    bool       has_line, has_offset;
} FrameSig;

typedef enum { SPACE_FUNCTION, SPACE_STRUCT, SPACE_ENUM, SPACE_BITMASK, SPACE_FRAME, SPACE_COUNT } SigSpace;

typedef struct SigEntry {
    uint64_t id_end;          /* offset in the stream just behind the id where it occurred first */
    uint64_t definition_size; /* bytes */
    void    *sig;             /* of the space's type; NULL = not known yet */
} SigEntry;

/* Ids beyond this are refused: readers index by them. */
enum { SIG_PAGE = 1 << 10, SIG_PAGES = 1 << 10, SIG_MOST = SIG_PAGE * SIG_PAGES };

typedef struct Signatures {
    Arena    *arena; /* borrowed; all of it lives there */
    SigEntry *pages[SPACE_COUNT][SIG_PAGES];
    uint32_t  counts[SPACE_COUNT]; /* how many are known */
} Signatures;

/* The entry of an id below SIG_MOST, or NULL if there is none yet. */
static inline const SigEntry *signature_find(const Signatures *sigs, SigSpace space, uint64_t id)
{
    const SigEntry *page = id < SIG_MOST ? sigs->pages[space][id / SIG_PAGE] : NULL;
    return page == NULL || page[id % SIG_PAGE].sig == NULL ? NULL : &page[id % SIG_PAGE];
}

/* Notes a definition; `sig` lives in the arena. False when out of memory. */
bool signature_add(Signatures *sigs, SigSpace space, uint64_t id, SigEntry entry) WARN_UNUSED;

/* The name of a value: that of the first entry with it; NULL = it has none. */
const StringView *enum_name(const EnumSig *sig, int64_t value);
/* Makes the table for that. False when out of memory. */
bool enum_index(EnumSig *sig, Arena *arena) WARN_UNUSED;

/* A name up to its first NUL: apitrace sees no more of it. */
StringView text_before_nul(StringView text);

#endif
