// The client library of PostgreSQL, where Debian's libpq-dev puts it.
#include <postgresql/libpq-fe.h>
