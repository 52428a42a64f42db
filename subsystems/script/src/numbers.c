// The numbers of a table, copied at once: by Lua's C interface each is three calls.

#include <stddef.h>

#include "lj_obj.h"
#include "lj_tab.h"

// Copies numbers from the index `first` + 1 on; returns how many there are before something else.
size_t loligo_numbers(const void *table, size_t first, double *to, size_t count)
{
  GCtab *t = (GCtab *)table;
  for (size_t i = 0; i < count; i++) {
    cTValue *value = lj_tab_getint(t, (int32_t)(first + i + 1));
    if (value == NULL || !tvisnumber(value))
      return i;
    to[i] = numberVnum(value);
  }
  return count;
}
