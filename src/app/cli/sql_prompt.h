/* app/cli/sql_prompt.h - reads SQL statements from a terminal: line editing, history and completion, by libedit.
 *
 * The history is $XDG_STATE_HOME/varve/query_history, else ~/.local/state/varve/query_history. Only its owner can read
 * it. It holds the last statements; without a home directory, or if the file cannot be written, the history ends with
 * the prompt. The keys are those of libedit, or of the user's ~/.editrc.
 *
 * The caller handles SIGINT with a handler without SA_RESTART, so that the signal interrupts reading. One thread. */
#ifndef APP_CLI_SQL_PROMPT_H
#define APP_CLI_SQL_PROMPT_H
#include "base/arena.h"

typedef struct SqlPrompt SqlPrompt;

/* The keys of the prompt, for its first line: "Tab completes, ", or "" in a build without libedit (sql_prompt_none.c). */
extern const char SQL_PROMPT_KEYS[];

/* Opens a prompt on the terminal of standard input and error. NULL when out of memory. Close it with sql_prompt_close,
 * NULL is allowed. */
SqlPrompt *sql_prompt_open(void) WARN_UNUSED;
void       sql_prompt_close(SqlPrompt *prompt);

/* Reads lines until one ends with a semicolon, and sets *statement to them, followed by a zero byte. SIGINT discards the
 * lines and begins again. False at the end of the input (Ctrl+D), which discards an unfinished statement. */
bool sql_prompt_read(SqlPrompt *prompt, Bytes *statement) WARN_UNUSED;

#endif
