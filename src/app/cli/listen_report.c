#include "app/cli/listen_report.h"

#include "base/digits.h"
#include "base/json_writer.h"

/* ---- readable lines ---- */

static void append_count(Bytes *out, uint64_t count, const char *what)
{
    char number[DIGITS_TEXT];
    (void)digits_put_whole(count, number);
    bytes_printf(out, "%s %s%s", number, what, count == 1 ? "" : "s");
}

static void append_bytes(Bytes *out, uint64_t bytes)
{
    static const char *const UNITS[] = { "kB", "MB", "GB", "TB" };
    double                   value = (double)bytes / 1000;
    size_t                   unit = 0;
    if (bytes < 1000) {
        append_count(out, bytes, "byte");
        return;
    }
    for (; value >= 999.95 && unit + 1 < sizeof UNITS / sizeof UNITS[0]; unit++)
        value /= 1000;
    bytes_printf(out, "%.1f %s", value, UNITS[unit]);
}

static void append_loss(Bytes *out, uint64_t count, const char *what, const char *behind)
{
    if (count == 0) return;
    bytes_append_text(out, ", ");
    append_count(out, count, what);
    bytes_append_text(out, behind);
}

static void append_losses(Bytes *out, const ReadLosses *losses)
{
    append_loss(out, losses->missing, "event", " missing");
    append_loss(out, losses->late, "event", " out of order");
    append_loss(out, losses->twice, "event", " received twice");
    append_loss(out, losses->skipped_bytes, "byte", " skipped");
}

void listen_text_began(const SenderStatus *status, Bytes *out)
{
    bytes_printf(out, "receiving %s", status->format->name);
    if (status->file[0] == '\0') return;
    bytes_printf(out, ", kept in %s", status->file);
    if (status->names_taken == 0) return;
    bytes_append_text(out, " (");
    append_count(out, status->names_taken, "file");
    bytes_append_text(out, " with lower numbers existed already)");
}

void listen_text_ended(const SenderStatus *status, Bytes *out)
{
    if (status->end == SENDER_EVICTED) {
        bytes_printf(out, "%s for %d s, a new sender takes its place: ",
                     status->format == NULL ? "nothing recognised" : "silent", RECEIVER_SILENT_MS / 1000);
    } else {
        bytes_append_text(out, "ended: ");
    }
    append_count(out, status->events, "event");
    bytes_append_text(out, ", ");
    append_bytes(out, status->bytes);
    append_losses(out, &status->losses);
}

void listen_text_totals(const ReceiverTotals *totals, Bytes *out)
{
    append_count(out, totals->senders, "sender");
    bytes_append_text(out, ", ");
    append_count(out, totals->events, "event");
    bytes_append_text(out, ", ");
    append_bytes(out, totals->bytes);
    append_losses(out, &totals->losses);
    append_loss(out, totals->dropped, "datagram", " dropped by the system");
    append_loss(out, totals->unrecognised_datagrams, "datagram", " from elsewhere not recognised");
    append_loss(out, totals->unrecognised_senders, "sender", " not recognised");
    append_loss(out, totals->turned_away, "attempt", " turned away");
}

/* ---- JSON ---- */

static void put_losses(JsonWriter *w, const ReadLosses *losses)
{
    json_put_u64(w, "missing", losses->missing);
    json_put_u64(w, "late", losses->late);
    json_put_u64(w, "duplicates", losses->twice);
    json_put_u64(w, "skipped_bytes", losses->skipped_bytes);
}

/* Writes an error, null without one. */
static void put_fault(JsonWriter *w, const char *key, const Err *err)
{
    json_put_string(w, key, err->code == ERR_NONE ? NULL : err->message);
}

static void put_sender(void *context, const SenderStatus *status)
{
    static const char *const STATES[] = {
        [SENDER_NEW] = "new", [SENDER_RECEIVING] = "receiving", [SENDER_ENDED] = "ended"
    };
    JsonWriter *w = (JsonWriter *)context;
    json_object_begin(w);
    json_put_string(w, "name", status->name);
    json_put_string(w, "format", status->format == NULL ? NULL : status->format->name);
    json_put_string(w, "state", STATES[status->state]);
    json_put_u64(w, "bytes", status->bytes);
    json_put_u64(w, "datagrams", status->datagrams);
    json_put_u64(w, "events", status->events);
    put_losses(w, &status->losses);
    json_put_view_or_null(w, "file", c_string_view(status->file));
    put_fault(w, "error", &status->fault);
    put_fault(w, "file_error", &status->record_fault);
    json_object_end(w);
}

void listen_json(Receiver *receiver, Bytes *out)
{
    JsonWriter     w = json_writer_to(out, 2);
    ReceiverTotals totals = receiver_totals(receiver);
    json_object_begin(&w);
    json_put_array(&w, "addresses");
    for (size_t i = 0; receiver_address(receiver, i) != NULL; i++)
        json_string(&w, receiver_address(receiver, i));
    json_array_end(&w);
    json_put_u64(&w, "bytes", totals.bytes);
    json_put_u64(&w, "events", totals.events);
    put_losses(&w, &totals.losses);
    json_put_u64(&w, "dropped_datagrams", totals.dropped);
    json_put_u64(&w, "unrecognised_datagrams", totals.unrecognised_datagrams);
    json_put_u64(&w, "turned_away", totals.turned_away);
    json_put_u64(&w, "unlisted_senders", totals.unlisted);
    json_put_array(&w, "senders");
    receiver_each(receiver, put_sender, &w);
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}
