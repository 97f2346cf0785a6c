/* varve/output.h - pictures of the timeline, and conversion to other formats. A part of varve/varve.h. */
#ifndef VARVE_OUTPUT_H
#define VARVE_OUTPUT_H
#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pictures ---- */

typedef enum VarvePictureKind { VARVE_PNG, VARVE_SVG, VARVE_PDF } VarvePictureKind;

typedef struct VarvePicture {
    VarvePictureKind kind;
    VarveTheme       theme;
    double           width_px;    /* 0 = 1600 */
    double           height_px;   /* 0 = as high as the content */
    double           scale;       /* device pixels per px; 0 = 1 */
    const char      *range;       /* of the first trace; NULL = all */
    const char      *tracks;      /* only tracks with this text; NULL = all */
    const char      *select_name; /* highlights the slices of this name; NULL = none */
    /* only events of these categories, separated by commas; "(none)" is that of events without one; NULL = all */
    const char *categories;
    const char *hidden_categories; /* no events with categories only from this list; NULL = none */
    const char *flows;             /* the arrows to draw: "few", "all", "none"; NULL = few */
    const char *sort;              /* of the rows: "default", "name", "first", "busiest"; NULL = default */
    const char *overlay;           /* counters in one chart, separated by commas; NULL = as the trace asks */
    const char *groups;            /* of the rows: "process", "name", "flat"; NULL = process */
    /* colours by "name", "category", "thread", "process", "duration" or "file"; NULL = name */
    const char *color_by;
    const char *palette;     /* "standard"; "safe" for colour-blind people; NULL = standard */
    const char *row_heights; /* "compact", "normal", "roomy"; NULL = normal */
    /* content of a view file (docs/view-files.md), whose state the other members change; NULL = none. A file that is damaged or of
     * no open trace: VARVE_ERROR_CORRUPT */
    const char *view_json;
    size_t      view_bytes;
    /* Receives each difference between the view file and the traces. NULL = not reported. */
    void (*difference)(void *context, VarveText what);
    void    *context;
    uint32_t thread_count; /* 0 and 1: only the calling thread */
    uint32_t reserved_flags;
    uint64_t reserved[5];
} VarvePicture;

/* Draws the timeline of one or more traces, each below the other on one time axis, and replaces the content of `out` by the
 * file. The same traces give the same bytes. `picture` may be NULL: a PNG. Any thread, with an `out` of its own. */
VARVE_API bool varve_render(const VarveTrace *const *traces, uint32_t trace_count,
                            const VarvePicture *picture, VarveBytes *out, VarveError *error);
/* As varve_render, to a file ("-" is standard output): it has its content when the function returns, or is unchanged. */
VARVE_API bool varve_render_file(const VarveTrace *const *traces, uint32_t trace_count,
                                 const VarvePicture *picture, const char *path, VarveError *error);

/* Reads from the content of a view file how its traces are opened: replaces the content of `perspective` by a C string for VarveOptions, "" =
 * the file chooses none, and sets *axis. VARVE_ERROR_CORRUPT: it is not a view file. Any thread, with a `perspective` of its own. */
VARVE_API bool varve_view_needs(const char *view_json, size_t view_bytes, VarveBytes *perspective,
                                VarveAxis *axis, VarveError *error);

/* ---- conversion ---- */

typedef enum VarveOutputKind { VARVE_OF_TRACE, VARVE_OF_TABLE } VarveOutputKind;

/* A format that can be written. The texts are static. */
typedef struct VarveOutputFormat {
    const char     *name;   /* as in VarveConversion */
    const char     *suffix; /* of files, without the point; NULL = none */
    const char     *about;  /* a line */
    VarveOutputKind kind;
} VarveOutputFormat;

/* Fills format `index` from 0. False: there is no such one. Any thread. */
VARVE_API bool varve_output_format(uint32_t index, VarveOutputFormat *format);

/* Of the format varve. VARVE_ARGUMENTS_STORED: the file has the arguments of events. VARVE_ARGUMENTS_SOURCE: they are read from
 * the input of the trace, which must stay; if that is not an uncompressed file, the file has them. */
typedef enum VarveArgumentUse { VARVE_ARGUMENTS_STORED, VARVE_ARGUMENTS_SOURCE } VarveArgumentUse;

typedef struct VarveConversion {
    /* "json", "spall", "spall1", "heph", "varve", "folded", "speedscope", "pprof"; of a table "csv", "jsonl", "arrow", "parquet".
     * NULL: by the suffix of the path */
    const char *format;
    const char *table; /* of csv, jsonl, arrow and parquet; NULL = "slice" */
    /* Receives each kind of data that the format cannot hold, with its number, after the output is complete. NULL = not
     * reported. */
    void (*loss)(void *context, VarveText what, uint64_t count);
    void            *context;
    uint64_t         memory_bytes; /* of parquet: as in VarveQueryOptions */
    uint32_t         thread_count; /* of spall, heph and parquet: as in VarveQueryOptions */
    VarveArgumentUse arguments;
    uint64_t         reserved[4];
} VarveConversion;

/* Writes the trace to a file in another format ("-" is standard output): it has its content when the function returns, or is
 * unchanged. Parquet needs DuckDB. `conversion` may be NULL. VARVE_ERROR_INPUT: the arguments cannot be read again. Any thread. */
VARVE_API bool varve_convert_file(const VarveTrace *trace, const VarveConversion *conversion,
                                  const char *path, VarveError *error);
/* As varve_convert_file, to memory: replaces the content of `out`. Not parquet; `conversion->format` must be given. */
VARVE_API bool varve_convert(const VarveTrace *trace, const VarveConversion *conversion, VarveBytes *out,
                             VarveError *error);

#ifdef __cplusplus
}
#endif
#endif
