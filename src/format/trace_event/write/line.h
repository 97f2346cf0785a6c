/* format/trace_event/write/line.h - writes an event as a line of JSON. */
#ifndef FORMAT_TRACE_EVENT_WRITE_LINE_H
#define FORMAT_TRACE_EVENT_WRITE_LINE_H
#include "base/json_writer.h"
#include "format/reader.h"
#include "format/trace_event/write/places.h"
#include "format/trace_event/write/time.h"

/* The content of a line. Members that are NULL, empty or 0 are left out. */
typedef struct Line {
    StringView          phase; /* as JSON, with its quotes */
    uint32_t            label;
    uint32_t            track;    /* for pid and tid */
    const WriterTime   *time;     /* ts */
    const WriterTime   *duration; /* dur */
    StringView          scope;    /* s, as JSON */
    StringView          members;  /* further members as JSON: "id":"0x1" */
    const EventDetails *details;
} Line;

/* A piece of JSON that many lines share. */
typedef struct LinePiece {
    size_t at, size; /* in LineWriter.texts; size 0 = not made yet */
    size_t tid_at;   /* of a track: offset of its tid */
} LinePiece;

typedef struct LineWriter {
    const Trace        *trace;
    const WriterPlaces *places; /* borrowed; the numbers written for ids */
    Bytes              *out;    /* borrowed; set by the user before each line */
    Bytes               texts;  /* the pieces: `"name":"f","cat":"c",` and `,"pid":1,"tid":2` */
    LinePiece          *labels, *tracks;
    bool     own_format;    /* further fields of an event are its members; else they are under "other" */
    uint64_t rounded_count; /* lines with rounded times */
    uint64_t dropped_count; /* fields left out because the line has another value for them */
} LineWriter;

bool line_writer_open(LineWriter *w, const WriterPlaces *places, Arena *arena) WARN_UNUSED;
void line_writer_close(LineWriter *w);

/* Appends the line after a comma and a line break. */
void line_put(LineWriter *w, const Line *line);

/* Write `"pid":1` of a process and `"tid":2` of a track; write no member if the source is of this format and has no
 * id. */
void line_put_pid(const WriterPlaces *places, JsonWriter *json, uint32_t process);
void line_put_tid(const WriterPlaces *places, JsonWriter *json, uint32_t track);
/* Writes `"source_id":` and the original id of a process or thread with this name; does nothing for IDENT_NONE. */
void line_put_source_id(JsonWriter *json, const Trace *trace, Ident ident, StringId name);

/* Appends the members of `other` that identify an asynchronous event, id, id2 and scope: `"id":1,...`. */
void line_id_append(const Bytes *other, Bytes *out);

#endif
