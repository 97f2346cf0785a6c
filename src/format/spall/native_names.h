/* format/spall/native_names.h - the names of a native stream's functions. For format/spall only. */
#ifndef FORMAT_SPALL_NATIVE_NAMES_H
#define FORMAT_SPALL_NATIVE_NAMES_H
#include "base/id_map.h"
#include "format/spall/native.h"

typedef struct NativeNames {
    TraceBuilder *builder;  /* borrowed */
    NativeKept   *kept;     /* borrowed */
    IdMap         labels;   /* LabelId.index by address */
    uint32_t      count;    /* of addresses in `labels` */
    Err           missing;  /* the reason why there is no executable */
    bool          searched; /* at the recorded path, not at a path of the user */
    /* Numbers of functions by the result of the look-up in the executable. */
    uint64_t exact, inside, nameless, outside;
    EventPos first; /* of any function */
    bool     out_of_memory;
} NativeNames;

/* The fields of a header that are needed for names. */
typedef struct NativeProgram {
    StringView path;    /* may be empty */
    uint64_t   address; /* base_address or known_address, depending on the layout */
} NativeProgram;

/* Searches the executable. */
void native_names_open(NativeNames *names, TraceBuilder *builder, Arena *arena, NativeKept *kept,
                       const ReadContext *context, const NativeProgram *program);
/* Returns the label of the function at an address: its name, or the address if the name is not known. */
LabelId native_names_find(NativeNames *names, uint64_t address, EventPos pos);
/* Reports the executable as a property and warns of functions without a name. Call it once, after the last record. */
void native_names_report(NativeNames *names);

#endif
