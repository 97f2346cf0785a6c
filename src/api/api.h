/* api/api.h - shared by the files of the C library, and by the command line, which makes a VarveTrace of a trace from the cache.
 * include/varve/varve.h is the manual of the library.
 *
 * The library adds no logic of its own: it converts arguments, results and errors. */
#ifndef API_API_H
#define API_API_H
#include "format/writer.h"
#include "schema/bounds.h"

#include <varve/varve.h>

/* The caller and the Arrow streams that use a trace. */
typedef struct TraceUsers {
    _Atomic uint32_t count;
    VarveTrace      *trace;
} TraceUsers;

struct VarveTrace {
    Arena       arena; /* holds this too; not used without `users` */
    Loaded      loaded;
    TraceUsers *users; /* NULL = the trace of a live handle or of a command, which owns it */
};

/* An error without an offset. */
#define API_ERR ((Err){ .offset = ERR_NOWHERE, .event = ERR_NOWHERE })

/* Adds a user of a trace, which api_trace_release removes. Any thread. */
void api_trace_use(const VarveTrace *trace);
/* Releases the trace with its last user. Any thread. */
void api_trace_release(const VarveTrace *trace);

/* Returns a zeroed handle of this type, whose first member is the arena that holds it; NULL when out of memory, then `error` is filled.
 * api_handle_release releases it with everything in its arena; it accepts NULL. */
#define API_HANDLE(Type, error) ((Type *)api_handle(sizeof(Type), (error)))
void *api_handle(size_t size, VarveError *error) WARN_UNUSED;
void  api_handle_release(void *handle);

/* Copies an error; `error` may be NULL. Returns false. */
bool api_fail(const Err *err, VarveError *error);
/* Returns the error that api_fail copied. */
Err api_err(const VarveError *error);
/* Reports that memory is exhausted. Returns false. */
bool api_no_memory(VarveError *error);

VarveText api_text(StringView text);
/* Returns a text copied into `arena`; "" when out of memory, then *failed is set. */
VarveText api_text_copy(Arena *arena, const Bytes *bytes, bool *failed);
/* Moves the content of a buffer to the caller's, whose old content is released. */
void api_give_bytes(Bytes *from, VarveBytes *to);
/* As api_give_bytes, unless memory ran out for the text: false, then it is released and `error` is filled. */
bool api_give_text(Bytes *text, VarveBytes *to, VarveError *error);

/* Returns the table of that name, or NULL with err. */
const SchemaTable *api_table(const char *name, Err *err);
/* Converts a part to the parameters of a table; NULL is everything. */
TableBounds api_bounds(const VarvePart *part);
/* Finds the range and the tracks of a part, in `arena`. False: err. */
bool api_part(const Trace *trace, const VarvePart *part, Arena *arena, TracePart *found,
              Err *err) WARN_UNUSED;
/* Returns the set of slices of a part (slice_set_has); NULL = all. */
const uint8_t *api_slices(const VarvePart *part);
/* Returns the search that made the set of slices of a part; NULL = no set. */
const char *api_searched_text(const VarvePart *part);
/* Returns a number of threads for the functions below: the library starts none unless told to. */
unsigned api_threads(uint32_t thread_count);
/* Returns the progress of a handle, or NULL. */
Progress *api_progress(VarveProgress *progress);

/* VarveConversion.loss. */
typedef void LossReceiver(void *context, VarveText what, uint64_t count);
/* Passes each loss of a report to the receiver; NULL = none. */
void api_report_losses(const WriterReport *report, LossReceiver *receiver, void *context);

/* Returns a time in ns from the begin of the trace. */
int64_t api_moment_ns(const Trace *trace, int64_t tick);

#endif
