/* trace/make/rescale.h - times of one clock in ticks of another on the same axis. For src/trace only. */
#ifndef TRACE_MAKE_RESCALE_H
#define TRACE_MAKE_RESCALE_H
#include "base/arena.h"
#include "trace/store/clock.h"

typedef struct ClockConversion {
    uint64_t num, den;     /* new ticks per old tick */
    int64_t  old_shift;    /* added before scaling, in old ticks */
    int64_t  new_shift;    /* added after scaling, in new ticks */
    uint64_t flipped_sign; /* 2^63 if the signedness changes; then the only change */
    bool     to_unsigned;
    bool     changes; /* false: only checks that all times fit */
    bool     fits, rounded;
} ClockConversion;

/* False if no such conversion exists. Values are changed only after `changes` is set. */
bool clock_conversion_between(const Clock *from, const Clock *to, ClockConversion *conversion) WARN_UNUSED;
/* Converts a tick, or only records whether it would fit and be rounded. */
void clock_convert(ClockConversion *conversion, int64_t *tick);
/* Converts a tick of each item of an array: the member at `tick_at`. */
void clock_convert_items(ClockConversion *conversion, const Bytes *items, size_t item_bytes, size_t tick_at);
#define CONVERT_TICKS(items, Type, member, conversion)                                                       \
    clock_convert_items(conversion, &(items), sizeof(Type), offsetof(Type, member))

#endif
