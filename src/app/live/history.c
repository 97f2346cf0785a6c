#include "app/live/history.h"

#include <assert.h>
#include <string.h>

typedef struct EndedSender {
    SenderStatus status; /* name and file: see record_status */
    Bytes        text;   /* owned; the name and the file, each with its NUL */
} EndedSender;

static EndedSender *record_at(const History *history, size_t i)
{
    assert(i < history->records.count);
    return history->records.items + i;
}

/* Returns a record to write to: a new one, else the oldest. NULL when out of memory. */
static EndedSender *record_next(History *history, Arena *arena)
{
    assert(history->oldest < HISTORY_SENDERS);
    if (history->records.count < HISTORY_SENDERS) return ARENA_LIST_PUSH(&history->records, arena);
    EndedSender *oldest = record_at(history, history->oldest);
    history->oldest = (history->oldest + 1) % HISTORY_SENDERS;
    history->unlisted++;
    return oldest;
}

void history_add(History *history, Arena *arena, const SenderStatus *status)
{
    EndedSender *record = record_next(history, arena);
    if (record == NULL) {
        history->unlisted++;
        return;
    }
    bytes_clear(&record->text);
    bytes_append(&record->text, status->name, strlen(status->name) + 1);
    bytes_append(&record->text, status->file, strlen(status->file) + 1);
    record->status = *status;
    record->status.so_far = NULL;
}

static SenderStatus record_status(const EndedSender *record)
{
    SenderStatus status = record->status;
    const bool   has_text = !record->text.failed;
    status.name = has_text ? (const char *)record->text.data : "";
    status.file = has_text ? status.name + strlen(status.name) + 1 : "";
    return status;
}

void history_each(const History *history, void (*each)(void *context, const SenderStatus *status),
                  void          *context)
{
    const size_t count = history->records.count;
    for (size_t i = 0; i < count; i++) {
        SenderStatus status = record_status(record_at(history, (history->oldest + i) % count));
        each(context, &status);
    }
}

uint64_t history_unlisted(const History *history)
{
    return history->unlisted;
}

void history_release(History *history)
{
    for (size_t i = 0; i < history->records.count; i++)
        bytes_release(&record_at(history, i)->text);
}
