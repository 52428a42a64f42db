// A value of a table by its name, without a string of Lua: what runs meanwhile allocates nothing.

#include <stddef.h>
#include <string.h>

#include "lj_obj.h"

// What a value is: `FieldValue` in `call.rs`.
enum { NONE, TEXT, NUMBER, NO, YES, OTHER };

// Finds the value of a name. A text is returned by its address and its bytes.
int loligo_field(const void *table, const char *name, size_t length, const char **text, size_t *bytes, double *number)
{
  const GCtab *t = (const GCtab *)table;
  Node *nodes = noderef(t->node);
  for (uint32_t i = 0; i <= t->hmask; i++) {
    const Node *n = &nodes[i];
    if (tvisnil(&n->val) || !tvisstr(&n->key))
      continue;
    const GCstr *key = strV(&n->key);
    if (key->len != length || memcmp(strdata(key), name, length) != 0)
      continue;
    if (tvisstr(&n->val)) {
      *text = strVdata(&n->val);
      *bytes = strV(&n->val)->len;
      return TEXT;
    }
    if (tvisnumber(&n->val)) {
      *number = numberVnum(&n->val);
      return NUMBER;
    }
    return tvisfalse(&n->val) ? NO : tvistrue(&n->val) ? YES : OTHER;
  }
  return NONE;
}
