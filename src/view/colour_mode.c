#include "view/colour_mode.h"

#include "view/data.h"

#include <assert.h>

/* Okabe and Ito, "Color Universal Design", in the order of the hues that they replace. */
static const uint32_t SAFE[SAFE_COLOURS] = { 0xCC79A7FF, 0xD55E00FF, 0xE69F00FF, 0xF0E442FF,
                                             0x009E73FF, 0x56B4E9FF, 0x0072B2FF, 0xBBBBBBFF };
/* Viridis at equal distances. */
static const uint32_t RAMP[RAMP_COLOURS] = { 0x440154FF, 0x46327EFF, 0x365C8DFF, 0x277F8EFF,
                                             0x1FA187FF, 0x4AC16DFF, 0xA0DA39FF, 0xFDE725FF };

void colour_mode_prepare(View *view)
{
    for (int i = 0; i < SAFE_COLOURS; i++)
        view->screen.safe[i] = colour_custom(view->screen.theme, SAFE[i]);
    for (int i = 0; i < RAMP_COLOURS; i++)
        view->screen.ramp[i] = colour_custom(view->screen.theme, RAMP[i]);
}

unsigned colour_mode_of(const View *view)
{
    return view->screen.options & VIEW_COLOUR_BY;
}

static bool is_safe(const View *view)
{
    return (view->screen.options & VIEW_SAFE_COLOURS) != 0;
}

NameColour colour_mode_look(const View *view, uint32_t colour)
{
    assert(colour <= COLOUR_UNKNOWN);
    if (!is_safe(view) || colour == COLOUR_UNKNOWN) return colour_look(view->screen.theme, colour);
    return view->screen.safe[colour * SAFE_COLOURS / COLOUR_COUNT];
}

NameColour colour_mode_name(const View *view, Theme theme, const char *name, size_t size)
{
    const uint32_t colour = colour_of_name(name, size);
    return is_safe(view) ? colour_custom(theme, SAFE[colour * SAFE_COLOURS / COLOUR_COUNT])
                         : colour_look(theme, colour);
}

NameColour colour_mode_file(const View *view, uint32_t trace)
{
    enum { APART = 7 }; /* hues from one trace to the next; 24 traces differ */
    if (is_safe(view)) return view->screen.safe[(trace * 5 + 6) % SAFE_COLOURS];
    return colour_look(view->screen.theme, (16 + trace * APART) % COLOUR_HUES * COLOUR_STEPS + 1);
}

NameColour colour_mode_track(const View *view, uint32_t trace, uint32_t track)
{
    const Outline *outline = &view_trace(view, trace)->outline;
    StringView     title = outline->tracks[track].title;
    const uint32_t process = outline->tracks[track].process;
    if (colour_mode_of(view) == VIEW_BY_PROCESS && process < outline->process_count)
        title = outline->processes[process].title;
    return colour_mode_look(view, colour_of_title(title.bytes, title.size));
}

NameColour colour_mode_duration(const View *view, uint32_t trace, uint64_t ticks)
{
    const Outline *outline = &view_trace(view, trace)->outline;
    double         value = (double)ticks, limit = 10;
    uint32_t       step = 0;
    if (outline->has_time) {
        value *= (double)outline->clock.ns_num / (double)outline->clock.ns_den;
        limit = 1000;
    }
    for (; step + 1 < RAMP_COLOURS && value >= limit; limit *= 10)
        step++;
    return view->screen.ramp[step];
}
