/* format/go_made.h - generated traces of Go 1.19: goroutines that wake each other, on any processor. */
#ifndef TEST_FORMAT_GO_MADE_H
#define TEST_FORMAT_GO_MADE_H
#include "base/arena.h"
#include "support/test.h"

typedef struct GoMade {
    unsigned processors, goroutines; /* at most GO_MADE_MOST each */
    unsigned events;
    unsigned stays;  /* of 16 goroutines that start, the number that stay on their last processor */
    unsigned others; /* of 1024 events, the number that do not run, stop, block or wake a goroutine */
    unsigned skew;   /* maximum difference of the processors' clocks in ticks */
    unsigned pace;   /* maximum ticks from one event to the next */
} GoMade;

enum { GO_MADE_MOST = 300 };

/* Appends the trace, header and footer included. */
void go_make(const GoMade *made, TestRandom *random, Bytes *file);

#endif
