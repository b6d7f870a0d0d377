/* Colours as files have them, in 256 steps, and as light adds up. */
#ifndef CN_SRGB_H
#define CN_SRGB_H

double cn_linear_from_srgb(int step);      /* 0 to 255 */
int cn_srgb_from_linear(double value); /* the nearest step */

#endif
