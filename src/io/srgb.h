/* Colours as files have them, in 256 steps, and as light adds up. */
#ifndef CN_SRGB_H
#define CN_SRGB_H

double cn_linear_from_srgb(int step); /* 0 to 255 */

#endif
