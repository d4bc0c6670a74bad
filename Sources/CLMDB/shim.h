#ifndef CLMDB_SHIM_H
#define CLMDB_SHIM_H

// The system's liblmdb (Debian: liblmdb-dev). Only the target `LMDB` imports this module.
#include <lmdb.h>

#endif
