#define _DEFAULT_SOURCE /* histedit.h: wide characters */
#include "app/cli/sql_prompt.h"

#include "app/cli/sql_words.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HISTORY_STATEMENTS = 500,
    HISTORY_STATEMENT_BYTES = 16384, /* a longer statement is not kept */
    TERMINAL_COLUMNS = 80            /* if the terminal does not tell */
};

struct SqlPrompt {
    Arena     arena;
    EditLine *editor;
    History  *history;
    char      history_path[FILE_PATH_BYTES]; /* "" = the history has no file */
    Bytes     statement;                     /* the lines read so far */
};

const char SQL_PROMPT_KEYS[] = "Tab completes, ";

static SqlPrompt *prompt_of(EditLine *editor)
{
    void *prompt = NULL;
    (void)el_get(editor, EL_CLIENTDATA, &prompt);
    return prompt;
}

static char *prompt_text(EditLine *editor)
{
    static char FIRST[] = "varve> ", NEXT[] = "   ... "; /* libedit takes no const */
    return prompt_of(editor)->statement.size == 0 ? FIRST : NEXT;
}

/* -- completion -- */

/* Lists the words below the line, in as many columns as fit. */
static void list_words(EditLine *editor, const SqlWords *found)
{
    int    terminal_columns = 0;
    size_t width = 1;
    if (el_get(editor, EL_GETTC, "co", &terminal_columns) != 0 || terminal_columns <= 0)
        terminal_columns = TERMINAL_COLUMNS;
    for (uint32_t i = 0; i < found->count; i++) {
        const size_t size = strlen(found->words[i]) + 2;
        width = size > width ? size : width;
    }
    const size_t columns = (size_t)terminal_columns > width ? (size_t)terminal_columns / width : 1;
    for (uint32_t i = 0; i < found->count; i++)
        (void)fprintf(stderr, "%s%-*s", i % columns == 0 ? "\n" : "", (int)width, found->words[i]);
    (void)fputs("\n", stderr);
}

/* Inserts the rest of the word, in capital letters if the last typed letter is one. False: the line is too long. */
static bool insert_rest(EditLine *editor, const SqlWords *found, char last_typed)
{
    char         rest[64];
    const bool   is_upper = last_typed >= 'A' && last_typed <= 'Z';
    const size_t size = found->common - found->typed;
    if (size + 2 > sizeof rest) return false;
    for (size_t i = 0; i < size; i++) {
        const char c = found->words[0][found->typed + i];
        rest[i] = is_upper && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    rest[size] = found->count == 1 ? ' ' : '\0';
    rest[size + 1] = '\0';
    return el_insertstr(editor, rest) == 0;
}

static unsigned char complete_word(EditLine *editor, int key)
{
    (void)key;
    SqlPrompt      *prompt = prompt_of(editor);
    const LineInfo *line = el_line(editor);
    const size_t    statement_size = prompt->statement.size, size = (size_t)(line->cursor - line->buffer);
    SqlWords        found;
    bytes_append(&prompt->statement, line->buffer, size);
    if (prompt->statement.failed) return CC_ERROR;
    sql_words_complete((StringView){ (const char *)prompt->statement.data, prompt->statement.size }, &found);
    prompt->statement.size = statement_size;
    if (found.count == 0) return CC_ERROR;
    if (found.count > 1 && found.common == found.typed) {
        list_words(editor, &found);
        return CC_REDISPLAY;
    }
    return insert_rest(editor, &found, size == 0 ? ' ' : line->cursor[-1]) ? CC_REFRESH : CC_ERROR;
}

/* -- history -- */

static void load_history(SqlPrompt *prompt)
{
    HistEvent event;
    (void)history(prompt->history, &event, H_SETSIZE, HISTORY_STATEMENTS);
    (void)history(prompt->history, &event, H_SETUNIQUE, 1);
    if (file_state_path("query_history", prompt->history_path))
        file_make_folders(prompt->history_path);
    else
        prompt->history_path[0] = '\0';
    if (file_is_regular(prompt->history_path))
        (void)history(prompt->history, &event, H_LOAD, prompt->history_path);
}

static void save_history(const SqlPrompt *prompt)
{
    HistEvent event;
    if (prompt->history_path[0] == '\0') return;
    const int fd = open(prompt->history_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0600);
    FILE     *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL) {
        if (fd >= 0) (void)close(fd);
        return;
    }
    (void)history(prompt->history, &event, H_SAVE_FP, file);
    (void)fclose(file);
}

/* Adds a statement to the history, without the line break at its end, and saves the history at once: a closed terminal
 * loses nothing. */
static void remember(SqlPrompt *prompt)
{
    HistEvent event;
    Bytes    *statement = &prompt->statement;
    size_t    size = statement->size;
    while (size > 0 && strchr("\r\n", statement->data[size - 1]) != NULL)
        size--;
    if (size == 0 || size > HISTORY_STATEMENT_BYTES || memchr(statement->data, '\0', size) != NULL) return;
    char text[HISTORY_STATEMENT_BYTES + 1];
    memcpy(text, statement->data, size);
    text[size] = '\0';
    (void)history(prompt->history, &event, H_ENTER, text);
    save_history(prompt);
}

/* -- the prompt -- */

SqlPrompt *sql_prompt_open(void)
{
    Arena      arena = arena_create(0);
    SqlPrompt *prompt = ARENA_ARRAY(&arena, SqlPrompt, 1);
    if (prompt == NULL) {
        arena_release(&arena);
        return NULL;
    }
    prompt->arena = arena;
    (void)setlocale(LC_CTYPE, ""); /* libedit decodes the keys by it */
    prompt->editor = el_init("varve", stdin, stderr, stderr);
    prompt->history = history_init();
    if (prompt->editor == NULL || prompt->history == NULL) {
        sql_prompt_close(prompt);
        return NULL;
    }
    load_history(prompt);
    (void)el_set(prompt->editor, EL_CLIENTDATA, prompt);
    (void)el_set(prompt->editor, EL_PROMPT, prompt_text);
    /* restores the terminal when a signal ends or stops the process */
    (void)el_set(prompt->editor, EL_SIGNAL, 1);
    (void)el_set(prompt->editor, EL_EDITOR, "emacs");
    (void)el_set(prompt->editor, EL_HIST, history, prompt->history);
    /* el_wset, because el_set never frees its copies of the texts. */
    (void)el_wset(prompt->editor, EL_ADDFN, L"sql-complete", L"completes a word of SQL", complete_word);
    (void)el_set(prompt->editor, EL_BIND, "^I", "sql-complete", NULL);
    (void)el_set(prompt->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    (void)el_source(prompt->editor, NULL);
    return prompt;
}

void sql_prompt_close(SqlPrompt *prompt)
{
    if (prompt == NULL) return;
    if (prompt->editor != NULL) el_end(prompt->editor);
    if (prompt->history != NULL) history_end(prompt->history);
    bytes_release(&prompt->statement);
    Arena arena = prompt->arena;
    arena_release(&arena);
}

bool sql_prompt_read(SqlPrompt *prompt, Bytes *statement)
{
    bytes_clear(&prompt->statement);
    for (;;) {
        int size = 0;
        /* before the prompt: el_gets does it after, and keys between are lost */
        (void)el_set(prompt->editor, EL_PREP_TERM, 1);
        const char *line = el_gets(prompt->editor, &size);
        if (line == NULL && size < 0 && errno == EINTR) {
            (void)fputs("^C\n", stderr);
            bytes_clear(&prompt->statement);
            continue;
        }
        if (line == NULL || size <= 0) break;
        if (prompt->statement.size == 0 && line[strspn(line, " \t\r\n")] == '\0') continue;
        bytes_append(&prompt->statement, line, (size_t)size);
        while (size > 0 && strchr(" \t\r\n", line[size - 1]) != NULL)
            size--;
        if (size > 0 && line[size - 1] == ';') {
            remember(prompt);
            bytes_clear(statement);
            bytes_append(statement, prompt->statement.data, prompt->statement.size);
            bytes_append(statement, "", 1);
            return !statement->failed && !prompt->statement.failed;
        }
    }
    (void)fputs("\n", stderr);
    return false;
}
