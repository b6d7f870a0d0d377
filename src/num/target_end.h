/* The end of what target_begin.h began; where it did nothing it must not be included. */
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
