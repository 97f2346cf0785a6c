/* The notes as JSON for the page. */
#include "base/json_writer.h"
#include "view/data.h"
#include "view/note_colours.h"
#include "view/note_flags.h"
#include "view/notes.h"

#include <inttypes.h>

static const NoteColour COLOURS[NOTE_COLOURS] = {
    { "blue", 0x0072B2FF },      { "orange", 0xE69F00FF }, { "green", 0x009E73FF },  { "pink", 0xCC79A7FF },
    { "vermilion", 0xD55E00FF }, { "sky", 0x56B4E9FF },    { "yellow", 0xF0E442FF }, { "grey", 0x999999FF },
};

const NoteColour *note_colour(uint32_t colour)
{
    return &COLOURS[colour % NOTE_COLOURS];
}

/* Writes ticks as text, because they can exceed 2^53. */
static void put_ticks(JsonWriter *w, const char *key, uint64_t ticks)
{
    json_put_printf(w, key, "%" PRIu64, ticks);
}

void view_notes_json(const View *view, Bytes *out)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    JsonWriter      w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_u64(&w, "selected", view->notes.selected);
    json_put_array(&w, "colours");
    for (uint32_t i = 0; i < NOTE_COLOURS; i++) {
        json_object_begin(&w);
        json_put_string(&w, "name", COLOURS[i].name);
        json_put_printf(&w, "fill", "#%06" PRIx32,
                        colour_custom(view->screen.theme, COLOURS[i].rgba).fill >> 8);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_put_array(&w, "notes");
    for (size_t i = 0; i < count; i++) {
        json_object_begin(&w);
        json_put_u64(&w, "id", notes[i].id);
        json_put_u64(&w, "trace", notes[i].trace);
        put_ticks(&w, "begin", notes[i].begin);
        put_ticks(&w, "end", notes[i].end);
        json_put_view(&w, "text", (StringView){ notes[i].text, notes[i].text_size });
        json_put_u64(&w, "colour", notes[i].colour);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
}
