#ifndef CLMDBRAW_SHIM_H
#define CLMDBRAW_SHIM_H

// The system's liblmdb (Debian: liblmdb-dev), for the raw side alone.
#include <lmdb.h>

#endif
