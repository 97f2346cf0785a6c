/* varve/trace.h - opens traces; summaries, and durations as text. A part of varve/varve.h. */
#ifndef VARVE_TRACE_H
#define VARVE_TRACE_H
#include <varve/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- open ---- */

typedef struct VarveTrace VarveTrace;

/* VARVE_DETAILS_UNUSED: no function needs arguments of events (varve_details, varve_find_open, the table `arg`, the formats json
 * and heph): a compressed input is then not stored in a temporary file. */
typedef enum VarveDetailUse { VARVE_DETAILS_KEPT, VARVE_DETAILS_UNUSED } VarveDetailUse;

/* Of a capture, which has no time. VARVE_AXIS_EVENTS: a call has a begin and an end on the axis, as in the file. VARVE_AXIS_CALLS: all calls
 * have one width. */
typedef enum VarveAxis { VARVE_AXIS_EVENTS, VARVE_AXIS_CALLS } VarveAxis;

/* Of varve_open_bytes. VARVE_BYTES_BORROWED: the bytes must outlive the trace and its Arrow streams. */
typedef enum VarveByteUse { VARVE_BYTES_BORROWED, VARVE_BYTES_COPIED } VarveByteUse;

/* A format that can be read. The texts are static. */
typedef struct VarveFormat {
    const char *name;    /* as in VarveOptions */
    const char *about;   /* title, producers and usual suffixes: lines */
    const char *spec;    /* the definition, with version or date */
    bool        is_live; /* varve_live_open can read it */
} VarveFormat;

/* Fills format `index` from 0. False: there is no such one. Any thread. */
VARVE_API bool varve_format(uint32_t index, VarveFormat *format);

typedef struct VarveOptions {
    const char *format; /* name of the format, as `varve --format`; NULL = recognised by content */
    /* the part to load: "1.2s..1.5s"; times are 1.25s, 3ms, 10us, 7ns, a number of ticks, or a UTC date; NULL = all */
    const char *range;
    const char *tracks; /* only tracks of this name or thread id, or with it in their title; NULL = all */
    const char *perspective; /* for formats with several; "all"; NULL = the usual one (Go: goroutines) */
    /* program that was recorded, for the names of addresses; "" = the path in the trace; NULL = no file is opened */
    const char    *executable;
    VarveProgress *progress;     /* borrowed during the call; NULL = none */
    uint32_t       thread_count; /* 0 and 1: only the calling thread */
    VarveDetailUse details;
    VarveByteUse   bytes;
    VarveAxis      axis;
    uint64_t       reserved[5];
} VarveOptions;

/* True if the text can be a `range`. False, with VARVE_ERROR_USAGE: a side is not a time, or the range is empty in every trace. Any
 * thread. */
VARVE_API bool varve_range_check(const char *range, VarveError *error);

/* Opens a file; "-" is standard input, "http://..." and "https://..." are addresses, which need libcurl at run time: check
 * paths from others. Compressed files and archives of one format are unpacked. `options` may be NULL. */
VARVE_API VarveTrace *varve_open(const char *path, const VarveOptions *options, VarveError *error);
/* Opens `size_bytes` bytes in memory, which are borrowed unless options->bytes says otherwise. `name` is for messages and the column `trace`. */
VARVE_API VarveTrace *varve_open_bytes(const void *bytes, size_t size_bytes, const char *name,
                                       const VarveOptions *options, VarveError *error);

/* An input of known size, which the library reads through a function. It must outlive the trace and its Arrow streams. */
typedef struct VarveSource {
    /* Copies up to `size_bytes` bytes from `byte_offset` on to `buffer`. Returns their number, 0 at the end and on failure. With
     * thread_count above 1, and if several threads use the trace, it is called by several threads at a time. */
    size_t (*read)(void *context, uint64_t byte_offset, void *buffer, size_t size_bytes);
    void    *context;
    uint64_t size_bytes;
} VarveSource;

/* Opens an uncompressed input. */
VARVE_API VarveTrace *varve_open_source(const VarveSource *source, const char *name,
                                        const VarveOptions *options, VarveError *error);
VARVE_API void        varve_close(VarveTrace *trace);

/* ---- summary ---- */

typedef struct VarveSummary {
    VarveText name;           /* as passed to varve_open */
    VarveText format;         /* "trace-event", "spall", "heph", "apitrace", "go", ... */
    VarveText format_version; /* "" = none */
    uint64_t  input_bytes;    /* before decompression; 0 = not known */
    bool      is_complete;    /* false: the input ended early, or a part was not decoded */
    bool      has_time;       /* false: *_ns count calls or events */
    bool      has_epoch;      /* epoch_unix_ns is known */
    int64_t   begin_tick, end_tick;
    /* nanoseconds per tick = numerator / denominator */
    uint64_t tick_ns_numerator, tick_ns_denominator;
    int64_t  epoch_unix_ns; /* wall-clock time of tick 0, ns since 1970 */
    uint64_t duration_ns;   /* from the first to the last event */
    uint32_t process_count, thread_count, track_count;
    uint64_t slice_count; /* on threads, finished or not, as `varve info` counts them */
    uint64_t unfinished_slice_count, async_slice_count, instant_count, flow_count, object_count;
    uint64_t counter_count, counter_sample_count, stack_sample_count;
    uint32_t depth_most; /* of nested slices; 1 = none is nested */
    uint32_t warning_count, property_count;
    uint64_t reserved[8];
} VarveSummary;

/* Fills the summary. Counts are those of the loaded part. O(tracks), or of a part O(its slices). Any thread. */
VARVE_API void varve_summary(const VarveTrace *trace, VarveSummary *summary);

typedef enum VarveTextStyle { VARVE_TEXT_PLAIN, VARVE_TEXT_COLORED } VarveTextStyle;

/* Replaces the content of `out` by the summary with all tracks, properties and warnings, as `varve info` prints it: for people, or as one JSON
 * object. Any thread, with an `out` of its own. */
VARVE_API bool varve_info_text(const VarveTrace *trace, VarveTextStyle style, VarveBytes *out,
                               VarveError *error);
VARVE_API bool varve_info_json(const VarveTrace *trace, VarveBytes *out, VarveError *error);
/* As varve_info_text, but only whether the input is damaged, and each kind of damage, as `varve check` prints them. */
VARVE_API bool varve_check_text(const VarveTrace *trace, VarveBytes *out, VarveError *error);

#define VARVE_IDENTITY_DIGITS 16

/* Fills `identity` with hexadecimal digits and a zero byte: they are those of the content of the input, whatever its name and compression, by which view
 * files (docs/view-files.md) name a trace. False: the input cannot be read again. Any thread. */
VARVE_API bool varve_identity(const VarveTrace *trace, char identity[VARVE_IDENTITY_DIGITS + 1]);

/* A kind of damage or repair. */
typedef struct VarveWarning {
    const char *kind;        /* stable: "unmatched-end" */
    uint64_t    count;       /* > 0 */
    uint64_t    byte_offset; /* of the first one; VARVE_NOWHERE = none */
    uint64_t    event_index; /* of the first one; VARVE_NOWHERE = none */
    const char *message;     /* of the first one */
} VarveWarning;

/* Fills warning `index` of summary.warning_count. False: there is no such one. Any thread. */
VARVE_API bool varve_warning(const VarveTrace *trace, uint32_t index, VarveWarning *warning);

/* A value about the whole trace, as the input has it. */
typedef struct VarveProperty {
    VarveText key;
    VarveText json; /* one JSON value */
} VarveProperty;

/* Fills property `index` of summary.property_count. False: there is no such one. Any thread. */
VARVE_API bool varve_property(const VarveTrace *trace, uint32_t index, VarveProperty *property);

/* ---- durations ----
 *
 * A duration in *_ns is rounded to nanoseconds. In *_ticks it is exact; these functions convert it. Any thread. */

#define VARVE_TIME_TEXT_BYTES 96

/* Returns the unit of *_ns, static: "ns"; without time "call" or "event". */
VARVE_API const char *varve_unit(const VarveTrace *trace);
/* Returns the duration for people: "12.3 µs", "1.204 s", "1 200 calls". The text is in `buffer`, with a zero byte at the end. */
VARVE_API VarveText varve_span_text(const VarveTrace *trace, uint64_t ticks,
                                    char buffer[VARVE_TIME_TEXT_BYTES]);
/* Returns a duration in ns for people, in the same way. Not of a trace without time. */
VARVE_API VarveText varve_ns_text(uint64_t ns, char buffer[VARVE_TIME_TEXT_BYTES]);
/* Returns the duration as a decimal in varve_exact_unit: "10.5". The text is in `buffer`, with a zero byte at the end. */
VARVE_API VarveText varve_span_exact(const VarveTrace *trace, uint64_t ticks,
                                     char buffer[VARVE_TIME_TEXT_BYTES]);
/* Returns a time of the clock of the file, `ticks` after the begin of the trace, in the same way. */
VARVE_API VarveText varve_time_exact(const VarveTrace *trace, uint64_t ticks,
                                     char buffer[VARVE_TIME_TEXT_BYTES]);
/* Returns "ns" if each tick is a finite decimal of nanoseconds, otherwise "ticks". Static. */
VARVE_API const char *varve_exact_unit(const VarveTrace *trace);

#ifdef __cplusplus
}
#endif
#endif
