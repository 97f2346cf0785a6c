/* view/commands.h - the commands, and their keys in a view. */
#ifndef VIEW_COMMANDS_H
#define VIEW_COMMANDS_H
#include "view/view_state.h"

/* Gives every command its default keys. */
void command_keys_reset(View *view);
/* Returns the command for a key (view_key) in the current context; NULL = none. */
const Command *command_for_key(const View *view, const char *name, unsigned modifiers);
/* Returns the HELD_* bit of the movement of a command, 0 = none. Sets *is_fast for the fast variant. */
unsigned command_held(const Command *command, bool *is_fast);

#endif
