/* The random numbers that Rust's standard library asks Windows for. Windows has had a library of
   this name since version 7, Wine since version 9; Debian 12 has Wine 8. */

#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG count); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    return count <= MAXDWORD && SystemFunction036(bytes, (ULONG)count);
}
