/* view/built_rows.h - the slices and instants of rows as runs_build has made them, for the frames that show the same rows
 * at another height: dense rows take most of the time of a frame.
 *
 * A row is kept while each frame uses it. Above a limit in bytes no more rows are kept. */
#ifndef VIEW_BUILT_ROWS_H
#define VIEW_BUILT_ROWS_H
#include "view/rows.h"

/* The slices and instants of a row. */
struct BuiltRow {
    RowName  name;
    uint64_t state; /* a hash of all that the runs and marks depend on; 0: they must be built */
    uint64_t frame; /* the last one that used it; 0: it is free */
    Runs     runs;
    Marks    marks;
};

enum { BUILT_ROWS = 256 };

typedef struct BuiltRows {
    BuiltRow items[BUILT_ROWS];
    BuiltRow other;      /* a row that is not kept */
    uint64_t frame;      /* the number of the frame */
    size_t   held_bytes; /* about */
} BuiltRows;

/* Begins a frame: releases the rows that the last one did not use. */
void built_rows_begin_frame(BuiltRows *rows);
/* Returns the row of this name, with another state if it must be built; else a row without a state. Valid until the next
 * call of a function of this file. */
BuiltRow *built_rows_find(BuiltRows *rows, RowName name);
/* Returns a row without a name, which is not kept. */
BuiltRow *built_rows_other(BuiltRows *rows);
/* Tells that a row has been built from a state. */
void built_rows_keep(BuiltRows *rows, BuiltRow *row, uint64_t state);
void built_rows_release(BuiltRows *rows);

#endif
