/* Sine, cosine and their kin from + - * / and sqrt alone: the same bits with every compiler, flag and machine, which
 * the C library does not promise. Errors are stated in units in the last place, measured against long double. */
#ifndef CN_TRIG_H
#define CN_TRIG_H

#define CN_PI 3.14159265358979323846

void cn_sincos(double x, double *s, double *c); /* any finite x, accurate for all */
double cn_cos(double x);
double cn_tan(double x);
double cn_atan2(double y, double x); /* full circle; (0, 0) gives 0 */
double cn_acos(double x);            /* outside [-1, 1] taken as the nearer end */
double cn_exp(double x);             /* underflows to 0, overflows to infinity */

#endif
