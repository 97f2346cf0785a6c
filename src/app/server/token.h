/* app/server/token.h - random secrets, compared in constant time. */
#ifndef APP_SERVER_TOKEN_H
#define APP_SERVER_TOKEN_H
#include "base/err.h"

enum { TOKEN_BITS = 128, TOKEN_TEXT = TOKEN_BITS / 4 };

typedef struct Token {
    char text[TOKEN_TEXT + 1]; /* lower-case hexadecimal */
} Token;

/* Creates a token from the system's random numbers; fails with ERR_IO if they are not available. */
bool token_create(Token *token, Err *err) WARN_UNUSED;
/* Reads a token from a text of exactly its digits. False: the text has another form. */
bool token_read(Token *token, const void *text, size_t size) WARN_UNUSED;
/* True if `text` begins with the token. The time does not depend on the position of the first difference;
 * `text` ends with a NUL. */
bool token_starts(const Token *token, const char *text);

#endif
