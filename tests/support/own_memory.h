// Whether what a process takes is what the program takes.
#pragma once

namespace candor::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsOwn = false;  // a sanitizer keeps more than the program does
#else
inline constexpr bool kMemoryIsOwn = true;
#endif

}  // namespace candor::test
