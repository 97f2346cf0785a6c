/* export/event_reader.h - reads the arguments of a trace's events from the input, as an EventSource
 * (analysis/find_values.h). */
#ifndef EXPORT_EVENT_READER_H
#define EXPORT_EVENT_READER_H
#include "analysis/find_values.h"
#include "format/load.h"

/* Must not be moved while `source` is in use. One thread at a time. */
typedef struct EventReader {
    Arena         arena;
    DetailReader *reader;
    EventDetails  details;
    EventSource   source;
} EventReader;

/* Opens a reader. Events without a match of `test` may be returned without arguments; NULL = all have them.
 * `loaded` and `test` are borrowed. False: out of memory. Release it in either case; a zeroed one may be
 * released, too. */
bool event_reader_open(EventReader *reader, const Loaded *loaded, const DetailTest *test) WARN_UNUSED;
void event_reader_release(EventReader *reader);

/* Readers for the threads of a search, which decode only events that may match. Must not be moved while
 * `sources` are in use. */
enum { EVENT_READERS_MOST = 16 };
typedef struct EventReaders {
    DetailTest  test;
    EventReader items[EVENT_READERS_MOST];
    EventSource sources[EVENT_READERS_MOST];
    size_t      count;
} EventReaders;

/* Opens a reader for each thread; threads 0: one for each processor. `loaded` and `pattern` are borrowed. False: out of
 * memory. Release them in either case; zeroed ones may be released, too. */
bool event_readers_open(EventReaders *readers, const Loaded *loaded, const FindPattern *pattern,
                        unsigned threads) WARN_UNUSED;
void event_readers_release(EventReaders *readers);

#endif
