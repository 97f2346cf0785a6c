/* format/unknown.h - a description of files that no reader recognises, for the message. */
#ifndef FORMAT_UNKNOWN_H
#define FORMAT_UNKNOWN_H
#include <stddef.h>
#include <stdint.h>

enum { UNKNOWN_TEXT = 64 };

/* Describes a file by its begin: "a picture (PNG)", "a text that begins with \"hello\"", "unknown binary data". */
void describe_unknown(const uint8_t *head, size_t size, char out[UNKNOWN_TEXT]);

#endif
