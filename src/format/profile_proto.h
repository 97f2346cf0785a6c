/* format/profile_proto.h - writes profiles that `go tool pprof` and other pprof programs read.
 *
 * The format: github.com/google/pprof, proto/profile.proto; a message of Protocol Buffers. It is not compressed here:
 * programs read it with gzip around it, which is usual, and without.
 *
 * The first string must be "". Ids of frames count from 1. The fields may be appended in any order. A frame is a location
 * and a function of the same id. */
#ifndef FORMAT_PROFILE_PROTO_H
#define FORMAT_PROFILE_PROTO_H
#include "base/arena.h"
#include "base/string_view.h"

/* The state of writing a profile: zeroed, except `out`, at first. Release it with profile_proto_release. Out of memory sets
 * out->failed. */
typedef struct ProfileProto {
    Bytes *out;             /* borrowed; the fields are appended to it */
    Bytes  path;            /* frames of the current sample */
    Bytes  message, packed; /* scratch */
} ProfileProto;

typedef struct ProfileFrame {
    uint64_t id;
    uint64_t name, file; /* indices of strings; 0 = unknown */
    uint64_t line, address;
} ProfileFrame;

/* Appends the type and the unit of a value of the samples, both indices of strings. Call it once for each value, in the order
 * of the values. */
void profile_proto_sample_type(ProfileProto *p, uint64_t type, uint64_t unit);
/* Appends the next string. */
void profile_proto_string(ProfileProto *p, StringView text);
/* Appends a frame. */
void profile_proto_frame(ProfileProto *p, const ProfileFrame *frame);
/* Append a sample in three steps: the begin, its frames, innermost first, and the end with its values and a label. Key and
 * text of the label are indices of strings (key 0 = no label). Strings and frames may be appended between the steps. */
void profile_proto_sample_begin(ProfileProto *p);
void profile_proto_sample_frame(ProfileProto *p, uint64_t frame);
void profile_proto_sample_end(ProfileProto *p, const uint64_t *values, size_t count, uint64_t key,
                              uint64_t text);
/* Appends the length of the profile in ns. */
void profile_proto_duration(ProfileProto *p, uint64_t ns);
/* Appends the kind of the sampled event, as profile_proto_sample_type, and the number of events between two samples. */
void profile_proto_period(ProfileProto *p, uint64_t type, uint64_t unit, uint64_t period);
/* Releases the scratch memory. */
void profile_proto_release(ProfileProto *p);

#endif
