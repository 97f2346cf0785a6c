/* format/go_made.h - traces of Go 1.19 that no program wrote: goroutines of which each wakes others, on any
 * processor. */
#ifndef TEST_FORMAT_GO_MADE_H
#define TEST_FORMAT_GO_MADE_H
#include "base/arena.h"
#include "support/test.h"

typedef struct GoMade {
    unsigned processors, goroutines; /* at most GO_MADE_MOST each */
    unsigned events;
    unsigned stays;  /* of 16 goroutines that start so many are on the processor they were on before */
    unsigned others; /* of 1024 events so many are none that a goroutine runs, stops, waits or is woken by */
    unsigned skew;   /* ticks by which the clocks of processors may be apart */
    unsigned pace;   /* most ticks from one event to the next */
} GoMade;

enum { GO_MADE_MOST = 300 };

/* Appends it, header and footer included. */
void go_make(const GoMade *made, TestRandom *random, Bytes *file);

#endif
