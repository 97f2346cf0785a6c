/* app/session/event_reader.h - reads the arguments of a trace's events again, as an EventSource (analysis/find_values.h). */
#ifndef APP_SESSION_EVENT_READER_H
#define APP_SESSION_EVENT_READER_H
#include "analysis/find_values.h"
#include "format/load.h"

/* Must not move while `source` is used. One thread at a time. */
typedef struct EventReader {
    Arena         arena;
    DetailReader *reader;
    EventDetails  details;
    EventSource   source;
} EventReader;

/* Events in which `test` finds nothing may come without arguments; NULL = all come with them. `loaded` and `test` are
 * borrowed. False: out of memory. Release it in either case; a zeroed one may be released, too. */
bool event_reader_open(EventReader *reader, const Loaded *loaded, const DetailTest *test) WARN_UNUSED;
void event_reader_release(EventReader *reader);

/* Readers for the threads of a search, which read only the events in which the pattern may match. Must not move while
 * `sources` are used. */
enum { EVENT_READERS_MOST = 16 };
typedef struct EventReaders {
    DetailTest  test;
    EventReader items[EVENT_READERS_MOST];
    EventSource sources[EVENT_READERS_MOST];
    size_t      count;
} EventReaders;

/* Opens a reader for each thread; threads 0: one for each processor. `loaded` and `pattern` are borrowed. False: out of
 * memory. Release them in either case; zeroed ones may be released, too. */
bool event_readers_open(EventReaders *readers, const Loaded *loaded, const FindPattern *pattern, unsigned threads) WARN_UNUSED;
void event_readers_release(EventReaders *readers);

#endif
