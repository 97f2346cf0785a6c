/* app/cli/listen_report.h - messages of `varve listen` about its senders: a line at the begin and the end of
 * each, a line during reception, the totals at the end, and a JSON object. */
#ifndef APP_CLI_LISTEN_REPORT_H
#define APP_CLI_LISTEN_REPORT_H
#include "app/live/receiver.h"

/* "receiving heph, kept in FILE.3 (1 file with lower numbers existed already)" */
void listen_text_began(const SenderStatus *status, Bytes *out);
/* "ended: 12 345 events, 1.2 MB, 3 events missing" */
void listen_text_ended(const SenderStatus *status, Bytes *out);
/* "2 senders, 12 345 events, 1.2 MB, 3 events missing" */
void listen_text_totals(const ReceiverTotals *totals, Bytes *out);
/* Appends one object, documented in docs/listen.md. */
void listen_json(Receiver *receiver, Bytes *out);

#endif
