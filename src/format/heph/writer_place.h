/* format/heph/writer_place.h - assigns streams and substreams to the tracks of any trace, and writes their names. */
#ifndef FORMAT_HEPH_WRITER_PLACE_H
#define FORMAT_HEPH_WRITER_PLACE_H
#include "format/writer.h"

typedef struct HephPlace {
    uint32_t stream;
    uint64_t substream;
    bool     is_own; /* a separate substream, for a track that is not a thread */
} HephPlace;

typedef struct HephPlaces {
    uint64_t  *streams;        /* by process; in the arena */
    HephPlace *tracks;         /* by track; in the arena */
    uint64_t   replaced_count; /* ids that are not numbers */
    uint64_t   cut_names;
} HephPlaces;

/* Assigns the places. Allocates in `arena`. False when out of memory. */
bool heph_places_make(HephPlaces *places, const Trace *trace, Arena *arena) WARN_UNUSED;
/* Appends options with the names of a process and its tracks, except default titles. Process 0: the tracks without a
 * process. */
void heph_put_names(HephPlaces *places, const Trace *trace, uint32_t process, Bytes *out);

#endif
