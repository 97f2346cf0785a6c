/* gen/recorder.h - writes the calls of the simulated program to a file, as a recorder would.
 *
 * Each thread collects its records in a buffer of its own, written when it is full: the file has runs of one
 * thread's records, and times increase only within a thread. A call
 * recorded as one complete event is written when it ends, so a child precedes its
 * parent and the times of a thread are not sorted. */
#ifndef GEN_RECORDER_H
#define GEN_RECORDER_H
#include "record.h"

#include <stdio.h>

enum { RECORDER_BUFFER_MIN = 2 * (RECORD_MAX + RECORD_BUFFER_HEADER_MAX), RECORDER_BUFFER_MAX = 1 << 24 };

typedef struct RecorderFacts {
    uint64_t file_bytes;
    uint64_t begin_count, end_count, complete_count, name_count; /* records */
} RecorderFacts;

typedef struct RecorderBuffer {
    uint8_t *bytes; /* in the arena */
    size_t   used;  /* the header of the format included */
    uint64_t first_ns;
    bool     has_time; /* first_ns is the time of a record in it */
    uint32_t tid;
} RecorderBuffer;

typedef struct Recorder {
    const RecordFormat *format;  /* borrowed */
    FILE               *file;    /* borrowed */
    RecorderBuffer     *buffers; /* in the arena, one a thread */
    uint32_t            thread_count;
    size_t              buffer_size;
    RecorderFacts       facts;
    bool                failed; /* a write did */
} Recorder;

/* Writes the head of the file and names the process and its threads. False when out of memory; a failed
 * write shows in recorder_finish. `buffer_size` lies between RECORDER_BUFFER_MIN and _MAX. */
bool recorder_start(Recorder *recorder, const RecordFormat *format, FILE *file, uint32_t thread_count,
                    size_t buffer_size, Arena *arena) WARN_UNUSED;
/* Give these to the program, with the recorder as context. */
void recorder_on_begin(void *context, uint32_t thread_index, const Call *call);
void recorder_on_end(void *context, uint32_t thread_index, const Call *call);
/* Writes the buffered records and the tail. False if any write failed. */
bool recorder_finish(Recorder *recorder) WARN_UNUSED;

#endif
