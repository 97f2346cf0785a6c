/* The colours of threads' states. */
#include "base/ascii.h"
#include "trace/wire/outline.h"
#include "view/colour.h"

/* By theme. A thread sleeps most of the time, so the colour of sleep is close to the canvas. The others are
 * chrome://tracing's, except the collector's, which it does not have. */
static const uint32_t STATE_COLOURS[STATE_COUNT][COLOUR_THEMES] = {
    [STATE_RUNNING] = { 0x7EC894FF, 0x7EC894FF },  [STATE_RUNNABLE] = { 0x85A0D2FF, 0x85A0D2FF },
    [STATE_SLEEPING] = { 0x3A4049FF, 0xE2E5E9FF }, [STATE_BLOCKED] = { 0xB67D8FFF, 0xC48FA0FF },
    [STATE_WAITS_IO] = { 0xFF8C00FF, 0xFF8C00FF }, [STATE_COLLECTING] = { 0xC9A7EBFF, 0xC9A7EBFF },
};

/* The text on sleep, fainter than that on other states. */
static const uint32_t SLEEPING_TEXT[COLOUR_THEMES] = {
    [THEME_DARK] = 0xC0C6CEFF, [THEME_LIGHT] = 0x3C434BFF
};

/* Begins of names, in lower case; the first match counts. A word of one letter must be the whole name. */
static const struct {
    const char *word;
    ThreadState state;
} STATE_WORDS[] = {
    { "uninterruptible sleep (io", STATE_WAITS_IO },
    { "uninterruptible", STATE_BLOCKED },
    { "disk", STATE_WAITS_IO },
    { "iowait", STATE_WAITS_IO },
    { "io wait", STATE_WAITS_IO },
    { "io_wait", STATE_WAITS_IO },
    { "syscall", STATE_WAITS_IO },
    { "blocked", STATE_BLOCKED },
    { "lock", STATE_BLOCKED },
    { "runnable", STATE_RUNNABLE },
    { "ready", STATE_RUNNABLE },
    { "waking", STATE_RUNNABLE },
    { "preempted", STATE_RUNNABLE },
    { "running", STATE_RUNNING },
    { "executing", STATE_RUNNING },
    { "sleep", STATE_SLEEPING },
    { "interruptible", STATE_SLEEPING },
    { "wait", STATE_SLEEPING },
    { "idle", STATE_SLEEPING },
    { "parked", STATE_SLEEPING },
    { "stopped", STATE_SLEEPING },
    { "gc", STATE_COLLECTING },
    { "garbage", STATE_COLLECTING },
    { "r", STATE_RUNNABLE }, /* Linux's letters */
    { "r+", STATE_RUNNABLE },
    { "s", STATE_SLEEPING },
    { "i", STATE_SLEEPING },
    { "d", STATE_BLOCKED },
};

static bool fits(const char *name, size_t size, const char *word)
{
    size_t length = 0;
    while (word[length] != 0 && length < size && ascii_lower(name[length]) == word[length])
        length++;
    if (word[length] != 0) return false;
    return length > 2 || length == size || (length == 2 && name[2] == ' ');
}

ThreadState colour_state_of(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof STATE_WORDS / sizeof STATE_WORDS[0]; i++) {
        if (fits(name, size, STATE_WORDS[i].word)) return STATE_WORDS[i].state;
    }
    return STATE_COUNT;
}

NameColour colour_label(Theme theme, uint32_t colour)
{
    if (colour == OUTLINE_RECEDES) return colour_state_look(theme, STATE_SLEEPING);
    if (colour - COLOUR_OF_STATE < STATE_COUNT)
        return colour_state_look(theme, (ThreadState)(colour - COLOUR_OF_STATE));
    return colour_custom(theme, colour);
}

NameColour colour_state_look(Theme theme, ThreadState state)
{
    NameColour look = colour_custom(theme, STATE_COLOURS[state][theme]);
    if (state != STATE_SLEEPING) return look;
    look.fill = look.dim = STATE_COLOURS[state][theme];
    look.text = SLEEPING_TEXT[theme];
    look.edge = colour_palette(theme)->rule;
    return look;
}
