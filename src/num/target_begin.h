/* From here to target_end.h functions are compiled for the features that CN_TARGET names, and CN_LANES_AVX2 is defined.
 * Elsewhere than on x86-64 nothing happens. Included by files that are chosen when the program runs. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CN_LANES_AVX2
#include <immintrin.h> /* before the target is widened: it declares for all of them */
#define CN_PRAGMA_TEXT(...) _Pragma(#__VA_ARGS__)
#define CN_PRAGMA(...) CN_PRAGMA_TEXT(__VA_ARGS__)
#if defined(__clang__)
CN_PRAGMA(clang attribute push(__attribute__((target(CN_TARGET))), apply_to = function))
#else
#pragma GCC push_options
CN_PRAGMA(GCC target(CN_TARGET))
#endif
#endif
