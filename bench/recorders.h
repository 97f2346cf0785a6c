/* The recorders of varve-bench-record and of the instrumented program of bench/record.sh. */
#ifndef BENCH_RECORDERS_H
#define BENCH_RECORDERS_H

enum { BLOCK = 100 };

/* Functions that return int return 0, or another number on failure. */
typedef struct Writer {
    const char *name;
    int (*start)(const char *path);
    void (*record)(void); /* BLOCK begin and end events of the calling thread */
    void (*flush)(void);  /* of the calling thread */
    int (*stop)(void);    /* all events have been written */
} Writer;

/* Another recorder. `memory` points to a pointer of the function, NULL at first, for the recorder's own data about it. */
typedef struct Peer {
    Writer writer;
    void (*begin)(const char *function, void **memory);
    void (*end)(void);
} Peer;

extern const Peer PEER_TRACY;    /* record_tracy.c */
extern const Peer PEER_PERFETTO; /* record_perfetto.c */

#endif
