/* sql_prompt.h in a build without libedit: lines without editing, history and completion. */
#include "app/cli/sql_prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct SqlPrompt {
    char  *line; /* of getline */
    size_t line_room;
};

const char SQL_PROMPT_KEYS[] = "";

SqlPrompt *sql_prompt_open(void)
{
    static SqlPrompt prompt;
    return &prompt;
}

void sql_prompt_close(SqlPrompt *prompt)
{
    if (prompt == NULL) return;
    free(prompt->line);
    *prompt = (SqlPrompt){ .line = NULL };
}

bool sql_prompt_read(SqlPrompt *prompt, Bytes *statement)
{
    static const char SPACE[] = " \t\r\n";
    bytes_clear(statement);
    for (;;) {
        (void)fputs(statement->size == 0 ? "varve> " : "   ... ", stderr);
        ssize_t size = getline(&prompt->line, &prompt->line_room, stdin);
        if (size < 0 && errno == EINTR) {
            (void)fputs("^C\n", stderr);
            clearerr(stdin);
            bytes_clear(statement);
            continue;
        }
        if (size < 0) break;
        if (statement->size == 0 && prompt->line[strspn(prompt->line, SPACE)] == '\0') continue;
        bytes_append(statement, prompt->line, (size_t)size);
        while (size > 0 && strchr(SPACE, prompt->line[size - 1]) != NULL)
            size--;
        if (size > 0 && prompt->line[size - 1] == ';') {
            bytes_append(statement, "", 1);
            return !statement->failed;
        }
    }
    (void)fputs("\n", stderr);
    return false;
}
