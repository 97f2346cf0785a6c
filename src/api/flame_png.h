/* api/flame_png.h - a flame graph as a picture. */
#ifndef API_FLAME_PNG_H
#define API_FLAME_PNG_H
#include "export/flame_out.h"

/* Appends the flame graph as a PNG. False: err filled. */
bool flame_put_png(const FlameOut *flame, Bytes *out, Err *err) WARN_UNUSED;

#endif
