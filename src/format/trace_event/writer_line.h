/* format/trace_event/writer_line.h - one event as a line of JSON. */
#ifndef FORMAT_TRACE_EVENT_WRITER_LINE_H
#define FORMAT_TRACE_EVENT_WRITER_LINE_H
#include "base/json_writer.h"
#include "format/reader.h"
#include "format/trace_event/writer_places.h"
#include "format/trace_event/writer_time.h"

/* What a line says; what is NULL, empty or 0 is left out. */
typedef struct Line {
    StringView          phase; /* as JSON, with its quotes */
    uint32_t            label;
    uint32_t            track;    /* whose pid and tid */
    const WriterTime   *time;     /* ts */
    const WriterTime   *duration; /* dur */
    StringView          scope;    /* s, as JSON */
    StringView          members;  /* more members as they stand: "id":"0x1" */
    const EventDetails *details;
} Line;

/* A piece of JSON that many lines share. */
typedef struct LinePiece {
    size_t at, size; /* in LineWriter.texts; size 0 = not made yet */
    size_t tid_at;   /* of a track: where its tid begins */
} LinePiece;

typedef struct LineWriter {
    const Trace *trace;
    Bytes       *out;   /* borrowed */
    Bytes        texts; /* the pieces: `"name":"f","cat":"c",` and `,"pid":1,"tid":2` */
    LinePiece   *labels, *tracks;
    WriterPlaces places; /* what stands for ids */
    bool     own_format; /* further fields of events are members of theirs; else they stand under "other" */
    uint64_t line_count; /* lines so far */
    uint64_t rounded_count; /* of them those whose times are rounded */
    uint64_t dropped_count; /* fields left out because the line has another value for them */
} LineWriter;

bool line_writer_open(LineWriter *w, const Trace *trace, Bytes *out, Arena *arena) WARN_UNUSED;
void line_writer_close(LineWriter *w);

/* Appends the line, with the comma and line break that stand before it. */
void line_put(LineWriter *w, const Line *line);

/* `"pid":1` of a process, `"tid":2` of a track; nothing where this format's own source has none. */
void line_put_pid(const LineWriter *w, JsonWriter *json, uint32_t process);
void line_put_tid(const LineWriter *w, JsonWriter *json, uint32_t track);
/* `"source_id":` and the id as its source has it, of what has this name; nothing for IDENT_NONE. */
void line_put_source_id(JsonWriter *json, const Trace *trace, Ident ident, StringId name);

/* The members of `other` that say which asynchronous event this is: id, id2 and scope. Appends `"id":1,...`. */
void line_id_append(const Bytes *other, Bytes *out);

#endif
