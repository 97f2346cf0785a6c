#include "view/notes.h"

#include "base/ascii.h"
#include "base/checked.h"
#include "base/utf8.h"
#include "view/data.h"
#include "view/hit.h"
#include "view/layout.h"
#include "view/motion.h"
#include "view/scene.h"
#include "view/select.h"
#include "view/words.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- versions ---- */

static const NotesVersion *find_version(const View *view, uint32_t number)
{
    for (size_t i = 0; i < NOTES_VERSIONS && number != 0; i++)
        if (view->notes.versions[i].number == number) return &view->notes.versions[i];
    return NULL;
}

static bool is_in_use(const View *view, uint32_t number)
{
    const History *history = &view->position.history;
    if (number == 0) return false;
    if (number == view->notes.current) return true;
    for (int i = 0; i < history->count; i++)
        if (history->visits[i].notes == number) return true;
    return false;
}

const ViewNote *view_notes(const View *view, size_t *count)
{
    const NotesVersion *now = find_version(view, view->notes.current);
    *count = now == NULL ? 0 : vec_count(&now->notes);
    return now == NULL ? NULL : now->notes.items;
}

static const ViewNote *find_note(const View *view, uint32_t id)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    for (size_t i = 0; i < count && id != 0; i++)
        if (notes[i].id == id) return &notes[i];
    return NULL;
}

uint32_t view_selected_note(const View *view)
{
    return view->notes.selected;
}

uint32_t notes_version(const View *view)
{
    return view->notes.current;
}

static void push_change(View *view, const char *command)
{
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_NOTES, .command = command });
    view->layout.stale = true; /* the strip may appear or disappear */
    view->picture.is_stale = true;
    layout_build(view);
}

void notes_restore(View *view, uint32_t version)
{
    if (version == view->notes.current || (version != 0 && find_version(view, version) == NULL)) return;
    view->notes.current = version;
    if (find_note(view, view->notes.selected) == NULL) view->notes.selected = 0;
    push_change(view, "");
}

void notes_shift(View *view, uint32_t trace, uint64_t later)
{
    for (size_t i = 0; i < NOTES_VERSIONS && later != 0; i++) {
        NoteList *notes = &view->notes.versions[i].notes;
        for (size_t n = 0; n < vec_count(notes); n++) {
            ViewNote *note = &notes->items[n];
            if (note->trace != trace) continue;
            note->begin = u64_add_saturated(note->begin, later);
            note->end = u64_add_saturated(note->end, later);
        }
    }
}

static bool are_same(const NotesVersion *a, const NotesVersion *b)
{
    const size_t count = a == NULL ? 0 : vec_count(&a->notes);
    if (count != (b == NULL ? 0 : vec_count(&b->notes))) return false;
    return count == 0 || memcmp(a->notes.items, b->notes.items, count * sizeof(ViewNote)) == 0;
}

void notes_remove_trace(View *view, uint32_t trace)
{
    History *history = &view->position.history;
    size_t   count, count_now;
    (void)view_notes(view, &count);
    for (size_t i = 0; i < NOTES_VERSIONS; i++) {
        NoteList *notes = &view->notes.versions[i].notes;
        size_t    kept = 0;
        for (size_t n = 0; n < vec_count(notes); n++) {
            ViewNote note = notes->items[n];
            if (note.trace == trace) continue;
            note.trace -= note.trace > trace;
            notes->items[kept++] = note;
        }
        vec_cut(notes, kept);
    }
    for (int i = 1; i < history->count; i++) {
        const uint32_t before = history->visits[i - 1].notes;
        uint32_t      *notes = &history->visits[i].notes;
        if (are_same(find_version(view, before), find_version(view, *notes))) *notes = before;
    }
    if (history->count > 0 && !history->waits) view->notes.current = history->visits[history->at].notes;
    if (find_note(view, view->notes.selected) == NULL) view->notes.selected = 0;
    (void)view_notes(view, &count_now);
    if (count > 0 || count_now > 0) push_change(view, "");
}

void notes_clear(View *view)
{
    for (size_t i = 0; i < NOTES_VERSIONS; i++)
        vec_release(&view->notes.versions[i].notes);
    vec_release(&view->notes.flags);
    view->notes = (Notes){ .current = 0 };
}

static int compare_notes(const void *a, const void *b)
{
    const ViewNote *left = (const ViewNote *)a, *right = (const ViewNote *)b;
    if (left->trace != right->trace) return left->trace < right->trace ? -1 : 1;
    if (left->begin != right->begin) return left->begin < right->begin ? -1 : 1;
    if (left->end != right->end) return left->end < right->end ? -1 : 1;
    return left->id < right->id ? -1 : left->id > right->id;
}

bool notes_replace(View *view, const ViewNote *notes, size_t count, NotesChange change)
{
    NoteList list = VEC_EMPTY;
    vec_append(&list, notes, count);
    if (list.bytes.failed) return false;
    if (count > 0) qsort(list.items, count, sizeof *notes, compare_notes);
    if (change == NOTES_CHANGED) history_record(view); /* the view before, to be restored by an undo */
    size_t free_at = 0;
    while (is_in_use(view, view->notes.versions[free_at].number))
        free_at++;
    assert(free_at < NOTES_VERSIONS); /* fewer are in use */
    NotesVersion *version = &view->notes.versions[free_at];
    vec_release(&version->notes);
    *version = (NotesVersion){ ++view->notes.last, list };
    view->notes.current = version->number;
    if (find_note(view, view->notes.selected) == NULL) view->notes.selected = 0;
    if (change == NOTES_CHANGED) {
        history_record(view);
    } else {
        for (int i = 0; i < view->position.history.count; i++)
            view->position.history.visits[i].notes = version->number;
    }
    return true;
}

/* ---- changes ---- */

/* Copies the present notes, with room for one more. False when out of memory. */
static bool copy_notes(const View *view, NoteList *copy)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    *copy = (NoteList)VEC_EMPTY;
    vec_append(copy, notes, count);
    return vec_reserve(copy, 1) != NULL;
}

void note_set_text(ViewNote *note, const char *text, size_t size)
{
    note->text_size = (uint32_t)utf8_cut(text, size, NOTE_TEXT);
    for (uint32_t i = 0; i < note->text_size; i++)
        note->text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? ' ' : text[i];
}

/* Writes "Mark 7" or "Note 7". */
static size_t note_name(Word word, unsigned number, char out[WORD_TEXT])
{
    char digits[16];
    (void)snprintf(digits, sizeof digits, "%u", number);
    return word_format(word, 0, digits, out);
}

/* Sets *number to N if the text is "Mark N" or "Note N". */
static bool note_number(StringView text, unsigned *number)
{
    char        name[WORD_TEXT];
    const Word  words[] = { WORD_MARK, WORD_NOTE };
    const char *digit = text.bytes;
    const char *end = text.bytes + text.size;
    while (digit < end && !ascii_is_digit(*digit))
        digit++;
    *number = 0;
    for (; digit < end && ascii_is_digit(*digit) && *number < 100000000; digit++)
        *number = *number * 10 + (unsigned)(*digit - '0');
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (string_equal(text, (StringView){ name, note_name(words[i], *number, name) })) return true;
    return false;
}

/* Returns a number that is greater than those in the texts "Mark N" and "Note N". */
static unsigned next_number(const View *view)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    unsigned        most = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned number;
        if (note_number((StringView){ notes[i].text, notes[i].text_size }, &number) && number > most)
            most = number;
    }
    return most + 1;
}

/* Adds a note of a range of a trace, with a text and a colour of its own, and selects it. */
static void add_note(View *view, uint32_t trace, uint64_t begin, uint64_t end, const char *command)
{
    NoteList       notes;
    char           text[WORD_TEXT];
    const unsigned number = next_number(view);
    ViewNote       note = { .id = view->notes.last_id + 1,
                            .trace = trace,
                            .begin = begin,
                            .end = end,
                            .colour = (number - 1) % NOTE_COLOURS };
    note_set_text(&note, text, note_name(begin == end ? WORD_MARK : WORD_NOTE, number, text));
    if (copy_notes(view, &notes) && vec_count(&notes) < NOTES_MAX) {
        vec_push(&notes, note);
        if (notes_replace(view, notes.items, vec_count(&notes), NOTES_CHANGED)) {
            view->notes.selected = view->notes.last_id = note.id;
            push_change(view, command);
        }
    }
    vec_release(&notes);
}

bool view_change_note(View *view, uint32_t id, uint32_t colour, const char *text, size_t size)
{
    NoteList        notes;
    const ViewNote *note = find_note(view, id);
    if (note == NULL || colour >= NOTE_COLOURS) return false;
    ViewNote changed = *note;
    changed.colour = colour;
    note_set_text(&changed, text, size);
    if (memcmp(&changed, note, sizeof changed) == 0) return true;
    bool done = copy_notes(view, &notes);
    for (size_t i = 0; done && i < vec_count(&notes); i++)
        if (notes.items[i].id == id) notes.items[i] = changed;
    done = done && notes_replace(view, notes.items, vec_count(&notes), NOTES_CHANGED);
    vec_release(&notes);
    if (done) push_change(view, "");
    return done;
}

void view_remove_note(View *view, uint32_t id)
{
    NoteList        left = VEC_EMPTY;
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    if (find_note(view, id) == NULL) return;
    for (size_t i = 0; i < count; i++)
        if (notes[i].id != id) vec_push(&left, notes[i]);
    if (!left.bytes.failed && notes_replace(view, left.items, vec_count(&left), NOTES_CHANGED))
        push_change(view, "");
    vec_release(&left);
}

void note_remove_selected(View *view)
{
    view_remove_note(view, view->notes.selected);
}

/* ---- selection ---- */

void note_select(View *view, uint32_t id, const char *command)
{
    view->notes.selected = find_note(view, id) == NULL ? 0 : id;
    push_change(view, command);
}

void view_select_note(View *view, uint32_t id)
{
    if (id != view->notes.selected) note_select(view, id, "");
}

void note_step(View *view, int by)
{
    size_t          count, at = 0;
    const ViewNote *notes = view_notes(view, &count);
    if (count == 0) return;
    while (at < count && notes[at].id != view->notes.selected)
        at++;
    if (at == count)
        at = by > 0 ? 0 : count - 1;
    else
        at = (at + (by > 0 ? 1 : count - 1)) % count;
    note_select(view, notes[at].id, "");
    Camera   *camera = &view->position.camera;
    CameraPos pos = camera->target;
    double    x = camera_x(&pos, axis_from_offset(&view_trace(view, notes[at].trace)->map, notes[at].begin));
    if (x >= 0 && x < camera->width_px) return;
    camera_pan(camera, x - camera->width_px / 2, view_motion(view));
    view_camera_changed(view);
}

/* ---- making notes ---- */

/* Returns the offset in a trace of a CSS pixel of the plot, within the trace. */
static uint64_t offset_at(const View *view, uint32_t trace, double plot_x_px)
{
    const TraceView *at = view_trace(view, trace);
    const int64_t    offset = axis_to_offset(&at->map, view_axis_at(view, plot_x_px));
    if (offset < 0) return 0;
    return (uint64_t)offset < at->outline.span ? (uint64_t)offset : at->outline.span;
}

void note_at_pixel(View *view, double plot_x_px)
{
    if (view->trace_count == 0) return;
    const uint64_t at = offset_at(view, 0, plot_x_px);
    add_note(view, 0, at, at, "");
}

void note_here(View *view)
{
    const Pointer  *p = &view->input.pointer;
    const Geometry *g = &view->screen.geometry;
    const double    x = p->x - g->plot_x / g->scale;
    if (view->trace_count == 0) return;
    if (p->inside && x >= 0 && x < view->position.camera.width_px && p->y * g->scale >= g->ruler_y) {
        Hit hit;
        view_hit(view, p->x, p->y, &hit);
        const uint32_t trace = hit.has_item ? layout_item(view, hit.item)->trace : 0;
        const uint64_t at = offset_at(view, trace, x);
        add_note(view, trace, at, at, "");
    } else if (view->selection.has_slice || view->selection.has_instant) {
        const SlicePlace *place =
            view->selection.has_slice ? &view->selection.slice : &view->selection.instant;
        add_note(view, place->trace, place->begin, place->begin, "");
    } else {
        note_at_pixel(view, view->position.camera.width_px / 2);
    }
}

void note_of_area(View *view)
{
    if (view->selection.area.is_set && vec_count(&view->selection.area.tracks) > 0) {
        const uint32_t trace = view->selection.area.tracks.items[0].trace;
        ViewEvent      area;
        (void)view_area_in(view, trace, &area);
        const uint64_t begin = area.begin > 0 ? (uint64_t)area.begin : 0,
                       end = area.end > 0 ? (uint64_t)area.end : 0;
        add_note(view, trace, begin, end > begin ? end : begin, "name");
    } else if (view->selection.has_slice) {
        const SlicePlace *place = &view->selection.slice;
        add_note(view, place->trace, place->begin, u64_add_saturated(place->begin, place->extent), "name");
    } else {
        view_push_command(view, VIEW_EVENT_COMMAND, "nothing-to-note");
    }
}
