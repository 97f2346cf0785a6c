/* view/commands.h - the commands and their keys. */
#ifndef VIEW_COMMANDS_H
#define VIEW_COMMANDS_H
#include "view/view_state.h"

typedef enum { CONTEXT_ANY, CONTEXT_SELECTED, CONTEXT_UNSELECTED } KeyContext;
typedef struct KeyBinding {
    const char *key;
    unsigned
        modifiers; /* exact, but Shift is ignored for signs ("?", "+"), because it depends on the keyboard
                            * layout */
} KeyBinding;
enum { BINDINGS_MAX = 4 };
/* Returns the bindings of command i, ended by a NULL key or BINDINGS_MAX. */
const KeyBinding *command_bindings(size_t i, KeyContext *context);
/* Returns the command for a key in the current context; NULL = none. */
const Command *command_for_key(const View *view, const char *key, unsigned modifiers);

#endif
