/* format/varve/levels.h - the levels of the tiles in a `.varve` file (format/varve/tiles.h). */
#ifndef FORMAT_VARVE_LEVELS_H
#define FORMAT_VARVE_LEVELS_H

/* VARVE_COARSE_LEVELS: only the picture of the whole trace, the first one. */
typedef enum { VARVE_ALL_LEVELS, VARVE_COARSE_LEVELS } VarveLevels;

#endif
