/* app/server/token.h - secrets that nobody can guess, compared so that nobody can feel their way to them. */
#ifndef APP_SERVER_TOKEN_H
#define APP_SERVER_TOKEN_H
#include "base/err.h"

enum { TOKEN_BITS = 128, TOKEN_TEXT = TOKEN_BITS / 4 };

typedef struct Token {
    char text[TOKEN_TEXT + 1]; /* lower-case hexadecimal */
} Token;

/* From the system's random numbers; fails with ERR_IO where there are none. */
bool token_create(Token *token, Err *err) WARN_UNUSED;
/* True if `text` begins with the token. Takes the same time wherever they differ; `text` ends with a NUL. */
bool token_starts(const Token *token, const char *text);

#endif
