/* format/spall/native_names.h - what the functions of a native stream are called. For format/spall only. */
#ifndef FORMAT_SPALL_NATIVE_NAMES_H
#define FORMAT_SPALL_NATIVE_NAMES_H
#include "format/spall/native.h"

typedef struct KnownAddress {
    uint64_t address;
    uint32_t label; /* LabelId.index; 0 = the place is empty */
} KnownAddress;

typedef struct NativeNames {
    TraceBuilder *builder; /* borrowed */
    Arena        *arena;   /* borrowed */
    NativeKept   *kept;    /* borrowed */
    KnownAddress *known;   /* in arena; by hash, at most half full */
    uint32_t      capacity, count;
    uint64_t      key;
    Err           missing;  /* why there is no executable, if there is none */
    bool          searched; /* where the trace says, not where the user does */
    /* Functions by what the executable says of them. */
    uint64_t exact, inside, nameless, outside;
    EventPos first; /* of any function */
    bool     out_of_memory;
} NativeNames;

/* What a header says that has to do with names. */
typedef struct NativeProgram {
    StringView path;    /* may be empty */
    uint64_t   address; /* base_address or known_address, as its layout has it */
} NativeProgram;

/* Looks for the executable. */
void native_names_open(NativeNames *names, TraceBuilder *builder, Arena *arena, NativeKept *kept,
                       const ReadContext *context, const NativeProgram *program);
/* The label of the function at an address: its name, or the address where none is known. */
LabelId native_names_find(NativeNames *names, uint64_t address, EventPos pos);
/* Once, at the end: tells which executable was used, and warns of what it could not name. */
void native_names_report(NativeNames *names);

#endif
