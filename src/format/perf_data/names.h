/* format/perf_data/names.h - the names of code addresses of a perf.data: of the files that were mapped, as far as they are on this
 * machine, and of the kernel that is running. For format/perf_data only. */
#ifndef FORMAT_PERF_DATA_NAMES_H
#define FORMAT_PERF_DATA_NAMES_H
#include "format/perf_data/maps.h"
#include "format/reader.h"
#include "format/unwind.h"

enum { PERF_BUILD_ID_BYTES = 20 };

typedef struct PerfBuildId {
    uint8_t bytes[PERF_BUILD_ID_BYTES];
    uint8_t size; /* 0 = not known */
} PerfBuildId;

/* A file, or another source of code, such as [vdso]. */
typedef struct PerfModule {
    StringId    path;  /* as in the recording; of the kernel as `name` */
    StringId    name;  /* its last part */
    StringId    other; /* for functions without a name: "[libc.so.6]" */
    PerfBuildId build_id;
    bool        is_kernel;
    bool        is_sought; /* `symbols` is settled */
    Symbols    *symbols;   /* NULL = not found */
} PerfModule;

/* The functions of the kernel that was recorded. */
typedef struct PerfKernel {
    KernelSymbols *symbols;       /* NULL = none */
    uint64_t       shift;         /* from the addresses of the recording to those of `symbols` */
    uint64_t       text;          /* the recorded address of its symbol `reference`; 0 = not known */
    char           reference[32]; /* "_text" */
    StringId       release;       /* "6.1.0-18-amd64"; STRING_NONE = not known */
    bool           is_sought;
} PerfKernel;

typedef struct PerfNames {
    TraceBuilder *builder; /* borrowed; so are the arena, and the context */
    Arena        *arena;
    ReadContext   context;
    PerfMaps      maps;
    ARENA_LIST(PerfModule) modules; /* [0]: of no file */
    IdMap      module_of;           /* by StringId.index of the path: index in modules */
    IdMap      frame_of;            /* by module and place in it: FrameId.index */
    FrameId    unknown;             /* of addresses that are in no file */
    PerfKernel kernel;
    uint64_t   named, unnamed; /* distinct addresses */
    EventPos   first_unnamed, first_changed;
    StringId   changed; /* the first file with another build id */
    uint64_t   changed_count;
    uint32_t   open_count; /* executables that are open */
    bool       failed;     /* out of memory */
} PerfNames;

/* Opens the names; `symbols` are closed by perf_names_close, also if the input has no end. False: out of memory. */
bool perf_names_open(PerfNames *names, Arena *arena, TraceBuilder *builder) WARN_UNUSED;
void perf_names_close(PerfNames *names);
/* Adds a map of a file to a process (PERF_KERNEL_PID: of the kernel). build_id: NULL = not known here. */
void perf_names_map(PerfNames *names, uint32_t pid, const PerfMap *place, StringView path,
                    const PerfBuildId *build_id, EventPos pos);
/* Tells the build id of a file. */
void perf_names_tell_build_id(PerfNames *names, StringView path, bool is_kernel, const PerfBuildId *build_id);
/* Tells the address of a symbol of the kernel, whose name follows the name of the kernel in the path of its map. */
void perf_names_place_kernel(PerfNames *names, StringView path, uint64_t address);
/* Returns the frame of an address of a process. is_return: it is behind a call. */
FrameId perf_names_frame(PerfNames *names, uint32_t pid, bool in_kernel, uint64_t address, bool is_return,
                         EventPos pos);
/* Sets *file to the executable at an address of a process. False: it is not known, or not on this machine. */
bool perf_names_file(PerfNames *names, uint32_t pid, uint64_t address, EventPos pos, UnwindFile *file);
/* Reports the functions without a name. */
void perf_names_report(PerfNames *names);

#endif
