/* view/option_names.h - the values of options of a view that have few: in view files, and of `varve render`. */
#ifndef VIEW_OPTION_NAMES_H
#define VIEW_OPTION_NAMES_H
#include "view/view.h"

enum { COLOUR_MODES = 6, PALETTES = 2, ROW_HEIGHTS = 3, NORMAL_HEIGHT = 1 };

extern const char *const FLOW_MODE_NAMES[FLOW_MODES];
extern const char *const SORT_NAMES[ROW_SORTS];
extern const char *const GROUPING_NAMES[ROW_GROUPINGS];
extern const char *const COLOUR_MODE_NAMES[COLOUR_MODES];
extern const char *const PALETTE_NAMES[PALETTES];
extern const char *const HEIGHT_NAMES[ROW_HEIGHTS];
/* The ViewOption bits of the names, among VIEW_COLOUR_BY, VIEW_SAFE_COLOURS, and VIEW_COMPACT and VIEW_ROOMY. */
extern const uint16_t COLOUR_MODE_OPTIONS[COLOUR_MODES];
extern const uint16_t PALETTE_OPTIONS[PALETTES];
extern const uint16_t HEIGHT_OPTIONS[ROW_HEIGHTS];

#endif
