// What stops a script from another thread, and what takes that back.
//
// `lua_sethook` is made for signals of the script's own thread. From another thread it changes the
// state of the recorder and the table of instructions together with their owner: the table can
// then be left without the hook for good, or without the recorder while it records. So here the
// other thread writes less: the hook, its bit, and entries that call both the hook and the recorder.
// Whatever the owner writes over them at the same time, a second request is as good as the first.

#include <stddef.h>

#include "lj_obj.h"
#include "lj_dispatch.h"
#include "lj_vm.h"

// What `layout.rs` knows of values and of states.
#if !LJ_GC64
#error "scripts need LuaJIT with 64-bit references, as all 64-bit machines have it"
#endif
#define TYPE(tag) ((uint64_t)(int64_t)(int32_t)(tag) << LOLIGO_TYPE_SHIFT >> LOLIGO_TYPE_SHIFT)
_Static_assert(offsetof(lua_State, glref) == LOLIGO_GLOBAL, "layout.rs");
_Static_assert(offsetof(lua_State, base) == LOLIGO_BASE, "layout.rs");
_Static_assert(offsetof(lua_State, top) == LOLIGO_TOP, "layout.rs");
_Static_assert(offsetof(global_State, allocd) == LOLIGO_MEMORY, "layout.rs");
_Static_assert(sizeof(TValue) == 8 && LUA_MINSTACK >= 20, "frame.rs");
_Static_assert(TYPE(LJ_TNIL) == LOLIGO_NIL, "layout.rs");
_Static_assert(TYPE(LJ_TFALSE) == LOLIGO_FALSE, "layout.rs");
_Static_assert(TYPE(LJ_TTRUE) == LOLIGO_TRUE, "layout.rs");
_Static_assert(TYPE(LJ_TISNUM) == LOLIGO_INTEGER, "layout.rs");

// The entry for every instruction: the one that records also counts for hooks.
#if LJ_HASJIT
#define ASKED lj_vm_record
#else
#define ASKED lj_vm_inshook
#endif

// Has `hook` called at the next instruction. From any thread, as often as needed.
void loligo_hook_ask(lua_State *L, lua_Hook hook)
{
  global_State *g = G(L);
  ASMFunction *table = G2GG(g)->dispatch;
  __atomic_store_n(&g->hookf, hook, __ATOMIC_RELAXED);
  __atomic_store_n(&g->hookcstart, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&g->hookcount, 1, __ATOMIC_RELAXED);
  // The owner changes other bits of it. Its own change may undo this one, but not the reverse.
  __atomic_fetch_or(&g->hookmask, LUA_MASKCOUNT, __ATOMIC_SEQ_CST);
  for (uint32_t i = 0; i < GG_LEN_SDISP; i++)
    __atomic_store_n(&table[i], ASKED, __ATOMIC_RELAXED);
}

// Takes the hook back. From the script's own thread alone.
void loligo_hook_take_back(lua_State *L)
{
  // All modes at once: none that follows is equal, so the whole table is written again.
  G(L)->dispatchmode = 0xff;
  lua_sethook(L, NULL, 0, 0);
}
