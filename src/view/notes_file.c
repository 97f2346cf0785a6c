#include "view/notes_file.h"

#include "view/note_colours.h"
#include "view/notes.h"

static StringView text_of(const ViewNote *note)
{
    return (StringView){ note->text, note->text_size };
}

/* ---- writing ---- */

static void put_note(JsonWriter *w, const ViewNote *note)
{
    json_object_begin(w);
    json_put_u64(w, "begin", note->begin);
    if (note->end > note->begin) json_put_u64(w, "end", note->end);
    json_put_view(w, "text", text_of(note));
    json_put_string(w, "colour", note_colour(note->colour)->name);
    json_object_end(w);
}

void notes_put(JsonWriter *w, const View *view, uint32_t trace)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        if (notes[i].trace == trace) put_note(w, &notes[i]);
    json_array_end(w);
}

/* ---- reading ---- */

static bool read_colour(const ViewReading *r, StringView value, uint32_t *colour)
{
    StringView name;
    if (!reading_text(r, value, &name)) return false;
    for (*colour = 0; *colour < NOTE_COLOURS; ++*colour) {
        const char *known = note_colour(*colour)->name;
        if (string_equal(name, c_string_view(known))) return true;
    }
    return reading_fail(r, value.bytes, "unknown colour");
}

static bool read_note(ViewReading *r, StringView value, ViewNote *note)
{
    enum { BEGIN, END, TEXT, COLOUR, MEMBERS };
    StringView text;
    ViewMember members[MEMBERS] = {
        { .name = "begin" }, { .name = "end" }, { .name = "text" }, { .name = "colour" }
    };
    if (!reading_members(r, value, members, MEMBERS)) return false;
    if (members[BEGIN].value.bytes == NULL)
        return reading_fail(r, value.bytes, "a mark needs the member begin");
    if (!reading_u64(r, members[BEGIN].value, &note->begin)) return false;
    note->end = note->begin;
    if (members[END].value.bytes != NULL && !reading_u64(r, members[END].value, &note->end)) return false;
    if (members[COLOUR].value.bytes != NULL && !read_colour(r, members[COLOUR].value, &note->colour))
        return false;
    if (members[TEXT].value.bytes != NULL) {
        if (!reading_text(r, members[TEXT].value, &text)) return false;
        note_set_text(note, text.bytes, text.size);
    }
    return note->end >= note->begin || reading_fail(r, value.bytes, "a mark ends before its begin");
}

static bool same_note(const ViewNote *a, const ViewNote *b)
{
    return a->trace == b->trace && a->begin == b->begin && a->end == b->end &&
           string_equal(text_of(a), text_of(b));
}

/* Adds a note unless the list has the same one. */
static bool add_note(const ViewReading *r, StringView at, const ViewNote *note, NoteList *notes)
{
    const size_t count = vec_count(notes);
    for (size_t i = 0; i < count; i++)
        if (same_note(&notes->items[i], note)) return true;
    if (count == NOTES_MAX) return reading_fail(r, at.bytes, "too many marks: a view has at most 4096");
    vec_push(notes, *note);
    return !notes->bytes.failed || reading_no_memory(r);
}

bool notes_read(ViewReading *r, StringView value, uint32_t trace, NoteList *notes)
{
    JsonMembers elements;
    StringView  element;
    if (!reading_list(r, value, &elements)) return false;
    for (uint32_t read = 0; json_elements_next(&elements, &element); read++) {
        ViewNote note = { .trace = trace };
        /* The file itself is limited too: each note is compared with all others. */
        if (read == NOTES_MAX)
            return reading_fail(r, element.bytes, "too many marks: a view has at most 4096");
        if (!read_note(r, element, &note) || !add_note(r, element, &note, notes)) return false;
    }
    return true;
}
