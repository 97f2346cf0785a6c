/* paint/picture.h - the viewer's picture of traces without a browser: drives src/view until all its data is
 * there. */
#ifndef PAINT_PICTURE_H
#define PAINT_PICTURE_H
#include "format/load.h"
#include "paint/hide.h"
#include "view/view.h"

typedef struct PictureOptions {
    double      width_px;
    double      height_px; /* 0 = as high as the content, within limits */
    double      scale;     /* device pixels per px */
    Theme       theme;
    const char *range;       /* time_spec.h, of the first trace; NULL = the whole trace */
    const char *tracks;      /* only tracks with this text; NULL = all */
    const char *select_name; /* highlights all slices of this name; NULL = none */
    const char *flows;       /* the arrows to draw: few, all, none; NULL = few */
    const char *sort;        /* default, name, first, busiest; NULL = default */
    const char *overlay; /* names of counters in one chart, separated by commas; NULL = as the trace asks */
    const char *groups;  /* process, name, flat; NULL = process */
    const char *color;   /* name, category, thread, process, duration, file; NULL = name */
    const char *palette; /* standard, safe; NULL = standard */
    const char *rows;    /* compact, normal, roomy; NULL = normal */
    HideOptions hide;
    StringView  view;    /* a view file, whose state the other options change; empty = none */
    unsigned    threads; /* for the data of the timeline; 0 = default */
} PictureOptions;

/* Lays out the traces and draws them: *list is the picture, borrowed from the view, which the caller destroys. *shown is the
 * result of the view file; the caller releases it. NULL: err filled; ERR_USAGE if an option does not fit the traces, ERR_CORRUPT
 * if the view file does not. */
View *picture_create(const Loaded *loaded, size_t count, const PictureOptions *options, const DrawList **list,
                     ViewLoaded *shown, Err *err) WARN_UNUSED;

#endif
