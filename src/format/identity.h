/* format/identity.h - identifies the content of an input, whatever its name and compression. */
#ifndef FORMAT_IDENTITY_H
#define FORMAT_IDENTITY_H
#include "format/load.h"

enum { IDENTITY_TEXT = 16 };

/* Sets `identity` to 16 hexadecimal digits: the 64-bit FNV-1a hash of 4 KiB blocks of the decompressed input, the first one and
 * those at 4 KiB times each power of two. Marks are stored under the identity, so the same input must have the same
 * identity in every version. False if the input cannot be read again. Any thread. */
bool load_identity(const Loaded *loaded, char identity[IDENTITY_TEXT + 1]) WARN_UNUSED;

/* Returns the number that an identity is the text of. */
uint64_t identity_number(const char identity[IDENTITY_TEXT + 1]);

#endif
