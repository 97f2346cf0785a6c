#include "export/event_reader.h"

#include "base/thread.h"

#include <assert.h>

static bool read_event(void *context, const OrderedEvent *event, StringView *args, StringView *other)
{
    assert(event->kind == ORDER_SLICE || event->kind == ORDER_INSTANT);
    EventReader *r = context;
    Err          err;
    const bool   is_read = event->kind == ORDER_SLICE
                               ? detail_reader_slice(r->reader, event->id, &r->details, &err)
                               : detail_reader_instant(r->reader, event->id, &r->details, &err);
    *args = bytes_view(&r->details.args);
    *other = bytes_view(&r->details.other);
    return is_read;
}

bool event_reader_open(EventReader *reader, const Loaded *loaded, const DetailTest *test)
{
    *reader = (EventReader){ .arena = arena_create(0),
                             .details = { .test = test },
                             .source = { read_event, reader } };
    reader->reader = detail_reader_create(&reader->arena, loaded);
    return reader->reader != NULL;
}

void event_reader_release(EventReader *reader)
{
    bytes_release(&reader->details.args);
    bytes_release(&reader->details.other);
    detail_reader_release(reader->reader);
    arena_release(&reader->arena);
}

static bool may_match(const void *context, const StringView *key, StringView value)
{
    return find_pattern_may_match(context, key, value);
}

bool event_readers_open(EventReaders *readers, const Loaded *loaded, const FindPattern *pattern,
                        unsigned threads)
{
    const unsigned most = threads > 0 ? threads : thread_count_default();
    readers->test = (DetailTest){ may_match, pattern };
    for (readers->count = 0; readers->count < EVENT_READERS_MOST && readers->count < most;) {
        EventReader *reader = &readers->items[readers->count];
        if (!event_reader_open(reader, loaded, &readers->test)) {
            event_reader_release(reader);
            break; /* continue with fewer threads */
        }
        readers->sources[readers->count++] = reader->source;
    }
    return readers->count > 0;
}

void event_readers_release(EventReaders *readers)
{
    for (size_t i = 0; i < readers->count; i++)
        event_reader_release(&readers->items[i]);
    readers->count = 0;
}
