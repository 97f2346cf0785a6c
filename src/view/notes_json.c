/* The notes as JSON: for the page, and in view files (docs/marks.md). */
#include "base/digits.h"
#include "base/json_check.h"
#include "base/json_members.h"
#include "base/json_writer.h"
#include "view/data.h"
#include "view/note_colours.h"
#include "view/note_flags.h"
#include "view/notes.h"

#include <inttypes.h>
#include <stdio.h>

enum { VIEW_FILE_VERSION = 1, INDENT = 2 };

static const NoteColour COLOURS[NOTE_COLOURS] = {
    { "blue", 0x0072B2FF },      { "orange", 0xE69F00FF }, { "green", 0x009E73FF },  { "pink", 0xCC79A7FF },
    { "vermilion", 0xD55E00FF }, { "sky", 0x56B4E9FF },    { "yellow", 0xF0E442FF }, { "grey", 0x999999FF },
};

const NoteColour *note_colour(uint32_t colour)
{
    return &COLOURS[colour % NOTE_COLOURS];
}

/* ---- for the page ---- */

static void put_fill(JsonWriter *w, uint32_t rgba)
{
    char text[8];
    (void)snprintf(text, sizeof text, "#%06" PRIx32, rgba >> 8);
    json_put_string(w, "fill", text);
}

/* Writes ticks as text, because they can exceed 2^53. */
static void put_ticks(JsonWriter *w, const char *key, uint64_t ticks)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, ticks);
    json_put_string(w, key, text);
}

static StringView text_of(const ViewNote *note)
{
    return (StringView){ note->text, note->text_size };
}

void view_notes_json(const View *view, Bytes *out)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    JsonWriter      w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_u64(&w, "selected", view->notes.selected);
    json_key(&w, "colours");
    json_array_begin(&w);
    for (uint32_t i = 0; i < NOTE_COLOURS; i++) {
        json_object_begin(&w);
        json_put_string(&w, "name", COLOURS[i].name);
        put_fill(&w, colour_asked(view->screen.theme, COLOURS[i].rgba).fill);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_key(&w, "notes");
    json_array_begin(&w);
    for (size_t i = 0; i < count; i++) {
        json_object_begin(&w);
        json_put_u64(&w, "id", notes[i].id);
        json_put_u64(&w, "trace", notes[i].trace);
        put_ticks(&w, "begin", notes[i].begin);
        put_ticks(&w, "end", notes[i].end);
        json_put_view(&w, "text", text_of(&notes[i]));
        json_put_u64(&w, "colour", notes[i].colour);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
}

/* ---- writing a view file ---- */

static void put_mark(JsonWriter *w, const ViewNote *note)
{
    json_object_begin(w);
    json_put_u64(w, "begin", note->begin);
    if (note->end > note->begin) json_put_u64(w, "end", note->end);
    json_put_view(w, "text", text_of(note));
    json_put_string(w, "colour", note_colour(note->colour)->name);
    json_object_end(w);
}

static void put_trace(JsonWriter *w, const View *view, uint32_t index)
{
    const TraceView *trace = view_trace(view, index);
    size_t           count;
    const ViewNote  *notes = view_notes(view, &count);
    json_object_begin(w);
    json_put_view(w, "name", trace->outline.name);
    json_put_string(w, "identity", trace->identity);
    json_key(w, "marks");
    json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        if (notes[i].trace == index) put_mark(w, &notes[i]);
    json_array_end(w);
    json_object_end(w);
}

void view_save_notes(const View *view, uint32_t trace, Bytes *out)
{
    JsonWriter w = json_writer_to(out, INDENT);
    json_object_begin(&w);
    json_put_u64(&w, "varve_view", VIEW_FILE_VERSION);
    json_key(&w, "traces");
    json_array_begin(&w);
    for (uint32_t t = 0; t < view->trace_count; t++)
        if (trace == VIEW_ALL_TRACES || trace == t) put_trace(&w, view, t);
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

/* ---- reading a view file ---- */

typedef struct NotesReading {
    View        *view;
    StringView   text;
    ViewNotesUse use;
    NoteList     notes;                /* the present ones, then those of the file */
    Bytes        decoded;              /* scratch */
    uint32_t     traces, traces_known; /* of the file */
    Err         *err;
} NotesReading;

static bool fail(const NotesReading *r, const char *at, const char *problem)
{
    return err_set_at(r->err, ERR_CORRUPT, (uint64_t)(at - r->text.bytes), ERR_NOWHERE, "%s", problem);
}

static bool key_is(StringView quoted, const char *name)
{
    const size_t size = strlen(name);
    return quoted.size == size + 2 && memcmp(quoted.bytes + 1, name, size) == 0;
}

static bool read_number(const NotesReading *r, StringView value, uint64_t *number)
{
    return text_to_u64(value, number) ||
           fail(r, value.bytes, "a time must be a whole number of ticks from the begin of the trace");
}

/* Decodes a string; valid until the next call. */
static bool read_text(NotesReading *r, StringView value, StringView *text)
{
    if (value.bytes[0] != '"') return fail(r, value.bytes, "expected a text");
    bytes_clear(&r->decoded);
    json_text_append(value, &r->decoded);
    if (r->decoded.failed) return err_set(r->err, ERR_MEMORY, "out of memory for the marks");
    *text = (StringView){ (const char *)r->decoded.data, r->decoded.size };
    return true;
}

static bool read_colour(NotesReading *r, StringView value, uint32_t *colour)
{
    StringView name;
    if (!read_text(r, value, &name)) return false;
    for (*colour = 0; *colour < NOTE_COLOURS; ++*colour)
        if (string_equal(name, (StringView){ COLOURS[*colour].name, strlen(COLOURS[*colour].name) }))
            return true;
    return fail(r, value.bytes, "unknown colour");
}

static bool read_mark(NotesReading *r, StringView value, ViewNote *note)
{
    JsonMembers members;
    StringView  key, member, text = { "", 0 };
    bool        has_begin = false, has_end = false;
    if (!json_members_open(value, &members)) return fail(r, value.bytes, "a mark must be an object");
    while (json_members_next(&members, &key, &member)) {
        bool done = true;
        if (key_is(key, "begin")) {
            done = has_begin = read_number(r, member, &note->begin);
        } else if (key_is(key, "end")) {
            done = has_end = read_number(r, member, &note->end);
        } else if (key_is(key, "colour")) {
            done = read_colour(r, member, &note->colour);
        } else if (key_is(key, "text")) {
            done = read_text(r, member, &text);
            if (done) note_set_text(note, text.bytes, text.size);
        }
        if (!done) return false;
    }
    if (!has_begin) return fail(r, value.bytes, "a mark needs the member begin");
    if (!has_end) note->end = note->begin;
    return note->end >= note->begin || fail(r, value.bytes, "a mark ends before its begin");
}

static bool same_note(const ViewNote *a, const ViewNote *b)
{
    return a->trace == b->trace && a->begin == b->begin && a->end == b->end &&
           string_equal(text_of(a), text_of(b));
}

/* Adds a note unless the list has the same one. */
static bool add_mark(NotesReading *r, StringView at, ViewNote *note)
{
    const ViewNote *notes = r->notes.items;
    const size_t    count = vec_count(&r->notes);
    for (size_t i = 0; i < count; i++)
        if (same_note(&notes[i], note)) return true;
    if (count == NOTES_MAX) return fail(r, at.bytes, "too many marks: a view has at most 4096");
    note->id = ++r->view->notes.last_id;
    vec_push(&r->notes, *note);
    return !r->notes.bytes.failed || err_set(r->err, ERR_MEMORY, "out of memory for the marks");
}

static bool read_marks(NotesReading *r, StringView value, uint32_t trace)
{
    JsonMembers elements;
    StringView  element;
    if (!json_elements_open(value, &elements)) return fail(r, value.bytes, "expected a list of marks");
    while (json_elements_next(&elements, &element)) {
        ViewNote note = { .trace = trace };
        if (!read_mark(r, element, &note) || !add_mark(r, element, &note)) return false;
    }
    return true;
}

/* Returns the open trace with this identity; UINT32_MAX: none. */
static uint32_t find_trace(const NotesReading *r, StringView identity)
{
    for (uint32_t t = 0; t < r->view->trace_count && identity.size > 0; t++) {
        const char *own = view_trace(r->view, t)->identity;
        if (string_equal(identity, (StringView){ own, strlen(own) })) return t;
    }
    const bool is_only = r->use == VIEW_NOTES_ADDED && r->traces == 1 && r->view->trace_count == 1;
    return is_only ? 0 : UINT32_MAX;
}

static bool read_trace(NotesReading *r, StringView value)
{
    JsonMembers members;
    StringView  key, member, identity = { "", 0 }, marks = { NULL, 0 };
    if (!json_members_open(value, &members)) return fail(r, value.bytes, "a trace must be an object");
    while (json_members_next(&members, &key, &member)) {
        if (key_is(key, "marks")) marks = member;
        if (key_is(key, "identity")) identity = member;
    }
    if (identity.size > 0 && !read_text(r, identity, &identity)) return false;
    const uint32_t trace = find_trace(r, identity);
    if (trace == UINT32_MAX) return true;
    r->traces_known++;
    return marks.size == 0 || read_marks(r, marks, trace);
}

static bool read_traces(NotesReading *r, StringView value)
{
    JsonMembers elements, again;
    StringView  element;
    if (!json_elements_open(value, &elements)) return fail(r, value.bytes, "expected a list of traces");
    again = elements;
    while (json_elements_next(&elements, &element))
        r->traces++;
    while (json_elements_next(&again, &element))
        if (!read_trace(r, element)) return false;
    return r->traces_known > 0 || fail(r, value.bytes, "the marks belong to another trace");
}

static bool read_file(NotesReading *r)
{
    JsonMembers members;
    StringView  key, value, traces = { NULL, 0 };
    uint64_t    version = 0;
    size_t      fault;
    if (!json_valid_until(r->text.bytes, r->text.size, &fault))
        return fail(r, r->text.bytes + fault, "not a view file: invalid JSON");
    if (!json_members_open(r->text, &members))
        return fail(r, r->text.bytes, "not a view file: expected an object");
    while (json_members_next(&members, &key, &value)) {
        if (key_is(key, "varve_view") && !read_number(r, value, &version)) return false;
        if (key_is(key, "traces")) traces = value;
    }
    if (version == 0) return fail(r, r->text.bytes, "not a view file: it lacks the member varve_view");
    if (version > VIEW_FILE_VERSION)
        return fail(r, r->text.bytes, "the view file is of a later version of Varve");
    return traces.size == 0 || read_traces(r, traces);
}

bool view_load_notes(View *view, const char *text, size_t size, ViewNotesUse use, Err *err)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    NotesReading    reading = { .view = view, .text = { text, size }, .use = use, .err = err };
    vec_append(&reading.notes, notes, count);
    bool done = read_file(&reading);
    if (done && vec_count(&reading.notes) > count) {
        done = notes_replace(view, reading.notes.items, vec_count(&reading.notes),
                             use == VIEW_NOTES_STORED ? NOTES_STORED : NOTES_CHANGED) ||
               err_set(err, ERR_MEMORY, "out of memory for the marks");
        if (done) note_select(view, view->notes.selected, "");
    }
    vec_release(&reading.notes);
    bytes_release(&reading.decoded);
    return done;
}

void view_set_identity(View *view, uint32_t trace, const char *identity, size_t size)
{
    if (trace >= view->trace_count) return;
    char *own = view_trace(view, trace)->identity;
    if (size > VIEW_IDENTITY) size = 0;
    memcpy(own, identity, size);
    own[size] = '\0';
}
