/* format/heph/writer_place.h - the streams and substreams on which the tracks of any trace stand, and their names. */
#ifndef FORMAT_HEPH_WRITER_PLACE_H
#define FORMAT_HEPH_WRITER_PLACE_H
#include "format/writer.h"

typedef struct HephPlace {
    uint32_t stream;
    uint64_t substream;
    bool     is_own; /* a substream for what belongs to no thread */
} HephPlace;

typedef struct HephPlaces {
    uint64_t  *streams;        /* by process; in the arena, as: */
    HephPlace *tracks;         /* by track */
    uint64_t   replaced_count; /* ids that are no numbers */
    uint64_t   cut_names;
} HephPlaces;

/* False when out of memory. */
bool heph_places_make(HephPlaces *places, const Trace *trace, Arena *arena) WARN_UNUSED;
/* Appends options with the names of process `process` and its tracks: those that say more than the id does.
 * Process 0: of the tracks that belong to none. */
void heph_put_names(HephPlaces *places, const Trace *trace, uint32_t process, Bytes *out);

#endif
