// A Result that nobody looks at does not compile.
// sees: base
// expect: unused-result

#include "base/result.h"

candor::Result<int> measure();

void caller() {
#ifdef CONTROL
  (void)measure().ok();
#else
  measure();
#endif
}
