/* The user's notes: flags in the strip below the ruler, lines over the rows, marks in the minimap. */
#include "view/data.h"
#include "view/note_colours.h"
#include "view/note_flags.h"
#include "view/scene.h"

#include <math.h>
#include <stdlib.h>

static const double TEXT_SIZE = 10.5, MINIMAP_TEXT_SIZE = 9, PAD_PX = 4;
/* Widths of a flag without text, and of the least text. */
static const double POLE_PX = 7, TEXT_LEAST_PX = 12;
enum { LINE_ALPHA = 150 };

/* Returns the look of a note in the view's theme. */
static NameColour note_look(const View *view, const ViewNote *note)
{
    return colour_custom(view->screen.theme, note_colour(note->colour)->rgba);
}

static int compare_flags(const void *a, const void *b)
{
    const NoteFlag *left = (const NoteFlag *)a, *right = (const NoteFlag *)b;
    if (left->x0 != right->x0) return left->x0 < right->x0 ? -1 : 1;
    return left->note->id < right->note->id ? -1 : left->note->id > right->note->id;
}

/* Returns the device pixels of a time of a note, clipped a little outside the plot. */
static double note_x(const View *view, const TraceView *trace, uint64_t offset)
{
    const Geometry *g = &view->screen.geometry;
    CameraPos       pos = camera_now(&view->position.camera);
    double          x = floor(camera_x(&pos, axis_from_offset(&trace->map, offset)) * g->scale);
    return g->plot_x + fmax(-16, fmin(x, g->plot_w + 16));
}

/* Returns the flags in Notes.flags, from left to right, each with the room until the next one. */
static NoteFlag *sort_flags(View *view, size_t *count)
{
    NoteFlag *flags = view->notes.flags.items;
    *count = view->notes.flags.bytes.failed ? 0 : vec_count(&view->notes.flags);
    if (*count > 1) qsort(flags, *count, sizeof *flags, compare_flags);
    for (size_t i = 0; i + 1 < *count; i++)
        flags[i].end = flags[i + 1].x0;
    return flags;
}

/* Finds the notes in sight, from left to right; valid until the next call. */
static NoteFlag *find_flags(View *view, size_t *found)
{
    const Geometry *g = &view->screen.geometry;
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    const double    right = g->plot_x + g->plot_w;
    vec_clear(&view->notes.flags);
    for (size_t i = 0; i < count; i++) {
        if (notes[i].trace >= view->trace_count) continue;
        const TraceView *trace = view_trace(view, notes[i].trace);
        const NoteFlag   flag = { &notes[i], note_x(view, trace, notes[i].begin),
                                  note_x(view, trace, notes[i].end), right };
        if (flag.x0 < right && flag.x1 >= g->plot_x - view_px(view, POLE_PX))
            vec_push(&view->notes.flags, flag);
    }
    return sort_flags(view, found);
}

/* Returns the box of a flag: the range of a note, or the width of its text if that is more and there is room. */
static Rect flag_box(const View *view, const NoteFlag *flag)
{
    const Geometry *g = &view->screen.geometry;
    const double    left = fmax(flag->x0, g->plot_x), pad = view_px(view, PAD_PX);
    const double    text =
        ceil(text_width(FONT_MEDIUM, TEXT_SIZE * g->scale, flag->note->text, flag->note->text_size)) +
        2 * pad;
    const double room = flag->end - left - view_px(view, 1);
    double       width = fmin(text, room);
    if (width < view_px(view, TEXT_LEAST_PX)) width = fmin(view_px(view, POLE_PX), fmax(room, 1));
    return (Rect){ left, g->strip_y + view_px(view, 1), fmax(width, flag->x1 - left + 1),
                   g->strip_h - view_px(view, 3) };
}

uint32_t note_flag_at(View *view, double x, double y)
{
    size_t          count;
    const Geometry *g = &view->screen.geometry;
    if (y < g->strip_y || y >= g->strip_y + g->strip_h) return 0;
    const NoteFlag *flags = find_flags(view, &count);
    for (size_t i = count; i > 0; i--) { /* the last one is on top */
        const Rect box = flag_box(view, &flags[i - 1]);
        if (x >= box.x - view_px(view, 1) && x < box.x + box.w + view_px(view, 1))
            return flags[i - 1].note->id;
    }
    return 0;
}

static void draw_flag(View *view, Frame *frame, const NoteFlag *flag)
{
    const Palette   *palette = colour_palette(view->screen.theme);
    const NameColour look = note_look(view, flag->note);
    const Rect       box = flag_box(view, flag);
    const bool       is_selected = view->notes.selected == flag->note->id;
    frame_box(frame, box,
              &(DrawShape){ .fill = look.fill,
                            .edge = is_selected ? palette->text : look.edge,
                            .edge_px = (float)view_px(view, is_selected ? 2 : 1),
                            .radius = (float)view_px(view, 2) });
    if (box.w < view_px(view, TEXT_LEAST_PX)) return;
    const TextStyle style = { FONT_MEDIUM, TEXT_SIZE * view->screen.scale, look.text };
    const double    pad = view_px(view, PAD_PX), room = fmin(box.x + box.w, flag->end) - box.x - 2 * pad;
    if (room > 0)
        frame_text_cut(frame, &style, box.x + pad, view_baseline(box.y, box.h, style.size_px), room + 1,
                       flag->note->text, flag->note->text_size);
}

void draw_note_strip(View *view, Frame *frame)
{
    size_t          count;
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    if (g->strip_h == 0) return;
    frame_layer(frame, (Rect){ 0, g->strip_y, g->width, g->strip_h });
    frame_rect(frame, 0, g->strip_y, g->width, g->strip_h, palette->panel);
    frame_rect(frame, 0, g->strip_y + g->strip_h - 1, g->width, 1, palette->rule);
    frame_rect(frame, g->plot_x - 1, g->strip_y, 1, g->strip_h, palette->rule);
    const NoteFlag *flags = find_flags(view, &count);
    for (size_t i = 0; i < count; i++) { /* each in a layer: a flag covers the text of the one below it */
        frame_layer(frame, (Rect){ g->plot_x, g->strip_y, g->plot_w, g->strip_h });
        draw_flag(view, frame, &flags[i]);
    }
}

/* Draws the line at a moment of a note. */
static void draw_line(View *view, Frame *frame, const ViewNote *note, double x)
{
    const Geometry *g = &view->screen.geometry;
    const bool      is_selected = view->notes.selected == note->id;
    const uint32_t  fill = note_look(view, note).fill;
    const double    width = view_px(view, is_selected ? 2 : 1), top = g->strip_y;
    frame_rect(frame, x, top, width < 1 ? 1 : width, g->height - top,
               is_selected ? fill : colour_faded(fill, LINE_ALPHA));
}

void draw_note_lines(View *view, Frame *frame)
{
    size_t          count;
    const Geometry *g = &view->screen.geometry;
    if (g->strip_h == 0) return;
    frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->height - g->pinned_y });
    const NoteFlag *flags = find_flags(view, &count);
    double          before = -1;
    for (size_t i = 0; i < count; i++) {
        if (flags[i].x0 != before || view->notes.selected == flags[i].note->id)
            draw_line(view, frame, flags[i].note, flags[i].x0);
        if (flags[i].x1 > flags[i].x0) draw_line(view, frame, flags[i].note, flags[i].x1);
        before = flags[i].x0;
    }
}

/* Draws the text of a note in the minimap, right of its line, on a ground of its own. */
static void draw_minimap_text(View *view, Frame *frame, const ViewNote *note, double x, double room)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const TextStyle style = { FONT_REGULAR, MINIMAP_TEXT_SIZE * view->screen.scale, palette->text };
    const double    pad = view_px(view, 2), left = x + view_px(view, POLE_PX), top = view_px(view, 2),
                 h = view_px(view, 11);
    const double wanted = ceil(text_width(style.face, style.size_px, note->text, note->text_size));
    const double width = fmin(wanted, room - view_px(view, POLE_PX) - 2 * pad);
    if (width < view_px(view, TEXT_LEAST_PX) && width < wanted) return;
    frame_rect(frame, left, top, width + 2 * pad, h, colour_faded(palette->canvas, 200));
    frame_text_cut(frame, &style, left + pad, view_baseline(top, h, style.size_px), width + 1, note->text,
                   note->text_size);
}

void draw_note_minimap(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    size_t          count, found;
    const ViewNote *notes = view_notes(view, &count);
    const double    extent = view->extent == 0 ? 1 : (double)view->extent, right = g->plot_x + g->plot_w;
    vec_clear(&view->notes.flags);
    for (size_t i = 0; i < count; i++) {
        if (notes[i].trace >= view->trace_count) continue;
        const AxisMap *map = &view_trace(view, notes[i].trace)->map;
        const double   x = floor((double)axis_from_offset(map, notes[i].begin) / extent * (g->plot_w - 1));
        vec_push(&view->notes.flags, (NoteFlag){ &notes[i], g->plot_x + x, g->plot_x + x, right });
    }
    const NoteFlag *flags = sort_flags(view, &found);
    const double    pole = view_px(view, POLE_PX), top = view_px(view, 2);
    for (size_t i = 0; i < found; i++) {
        const uint32_t fill = note_look(view, flags[i].note).fill;
        if (i + 1 < found && flags[i].x0 == flags[i + 1].x0) continue; /* below the next one */
        frame_rect(frame, flags[i].x0, 0, 1, g->minimap_h - 1, fill);
        frame_rect(frame, flags[i].x0, top, pole, view_px(view, 6), fill);
        draw_minimap_text(view, frame, flags[i].note, flags[i].x0, flags[i].end - flags[i].x0);
    }
}
