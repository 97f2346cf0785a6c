#define _DEFAULT_SOURCE /* getentropy */
#include "app/server/token.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

bool token_create(Token *token, Err *err)
{
    unsigned char bytes[TOKEN_BITS / 8];
    if (getentropy(bytes, sizeof bytes) != 0)
        return err_set(err, ERR_IO,
                       "the system has no random numbers for the secret of the viewer's address");
    for (size_t i = 0; i < sizeof bytes; i++) {
        token->text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        token->text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    token->text[TOKEN_TEXT] = '\0';
    return true;
}

bool token_read(Token *token, const void *text, size_t size)
{
    if (size != TOKEN_TEXT) return false;
    memcpy(token->text, text, TOKEN_TEXT);
    token->text[TOKEN_TEXT] = '\0';
    return strspn(token->text, "0123456789abcdef") == TOKEN_TEXT;
}

bool token_starts(const Token *token, const char *text)
{
    unsigned differs = 0;
    if (strlen(text) < TOKEN_TEXT) return false;
    for (size_t i = 0; i < TOKEN_TEXT; i++)
        differs |= (unsigned)(token->text[i] ^ text[i]);
    return differs == 0;
}
