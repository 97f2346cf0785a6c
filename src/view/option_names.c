#include "view/option_names.h"

const char *const FLOW_MODE_NAMES[FLOW_MODES] = {
    [FLOWS_FEW] = "few", [FLOWS_ALL] = "all", [FLOWS_SELECTED] = "none"
};
const char *const SORT_NAMES[ROW_SORTS] = {
    [SORT_DEFAULT] = "default", [SORT_NAME] = "name", [SORT_FIRST] = "first", [SORT_BUSIEST] = "busiest"
};
const char *const GROUPING_NAMES[ROW_GROUPINGS] = {
    [GROUPS_PROCESS] = "process", [GROUPS_NAME] = "name", [GROUPS_NONE] = "flat"
};

const char *const COLOUR_MODE_NAMES[COLOUR_MODES] = { "name",    "category", "thread",
                                                      "process", "duration", "file" };
const uint16_t    COLOUR_MODE_OPTIONS[COLOUR_MODES] = {
    0, VIEW_BY_CATEGORY, VIEW_BY_THREAD, VIEW_BY_PROCESS, VIEW_BY_DURATION, VIEW_BY_FILE
};
const char *const PALETTE_NAMES[PALETTES] = { "standard", "safe" };
const uint16_t    PALETTE_OPTIONS[PALETTES] = { 0, VIEW_SAFE_COLOURS };
const char *const HEIGHT_NAMES[ROW_HEIGHTS] = { "compact", "normal", "roomy" };
const uint16_t    HEIGHT_OPTIONS[ROW_HEIGHTS] = { VIEW_COMPACT, 0, VIEW_ROOMY };
