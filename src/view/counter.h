/* view/counter.h - counters as pixel columns: what a series is worth in each, from the tiles at hand, and its numbers
 * as text. */
#ifndef VIEW_COUNTER_H
#define VIEW_COUNTER_H
#include "view/internal.h"

/* A series in one pixel column. `last` holds at the column's end (NaN: none is known); least and greatest are those of
 * the samples that lie in it (NaN: none does). */
typedef struct ValueColumn {
    double least, greatest, last;
} ValueColumn;

/* Returns the columns of the whole plot for a row of `track`, of the band whose sources were found last. Valid until the next call; NULL
 * when out of memory. */
const ValueColumn *counter_columns(View *view, uint32_t trace, const OutlineTrack *track, uint32_t row_of_band);

/* The values a chart spans: the counter's range, widened so that 0 is in it. least < greatest. */
typedef struct ValueScale {
    double least, greatest;
} ValueScale;
ValueScale counter_scale(const OutlineTrack *track);
/* Pixels below the top of a chart `height` high, 0 to height, whole. */
double counter_y(const ValueScale *scale, double value, double height);

/* Where the chart of an item lies, whose top is at y CSS pixels on the screen: y and height in device pixels. */
void counter_chart(const View *view, const LayoutItem *item, double y_px, double *y, double *height);

/* The series' name; that of the counter where it has none. */
StringView counter_series(const TraceView *trace, const OutlineTrack *track, uint32_t row);

/* The colours that a counter's series are told apart by: of more than this, they come again. */
enum { SERIES_COLOURS = 64 };
typedef struct SeriesColours {
    uint8_t  chosen[SERIES_COLOURS];
    uint32_t asked[SERIES_COLOURS]; /* as the trace wants it; 0 = `chosen` has it */
} SeriesColours;
void       counter_choose_colours(const TraceView *trace, const OutlineTrack *track, SeriesColours *colours);
NameColour counter_series_look(const View *view, const SeriesColours *colours, uint32_t row);

/* The names of the series with their colours: in lines below room.y, as many as the room holds, of which the first is
 * `first_w` wide; those that find no room are counted. Device pixels. */
void draw_legend(View *view, Frame *frame, const LayoutItem *item, Rect room, double first_w);

enum { COUNTER_TEXT = 48 };
/* What values are numbers of. */
typedef enum { UNIT_NONE, UNIT_BYTES } CounterUnit;
static inline CounterUnit counter_unit(const OutlineTrack *track)
{
    return track->counts_bytes ? UNIT_BYTES : UNIT_NONE;
}
/* "12.5 k", "3.2 MB", "0.25": three digits. Returns the length. */
size_t counter_format_short(double value, CounterUnit unit, char out[COUNTER_TEXT]);
/* "12 345 678", "1 024 B", "0.001234": nine digits, and all of a whole number. */
size_t counter_format(double value, CounterUnit unit, char out[COUNTER_TEXT]);
/* The scale's end as the label column says it: its greatest value, and the least where that is below 0. */
void counter_format_scale(const OutlineTrack *track, Bytes *out);
/* What a column tells: "12", "12 (3 to 40)" where it held others, too, or that nothing is known. */
void counter_format_column(const ValueColumn *column, CounterUnit unit, Bytes *out);

#endif
