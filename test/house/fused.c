/* Code that gcc 12 fuses in its vectorizer even under -ffp-contract=off: gcc -O2 -mavx2 -mfma -ffp-contract=off -S.
 * Compiled with contraction it is what fused.sh must find. */
void alternate(double *restrict r, const double *restrict a, const double *restrict b, const double *restrict c);

void alternate(double *restrict r, const double *restrict a, const double *restrict b, const double *restrict c)
{
	r[0] = a[0] * b[0] - c[0];
	r[1] = a[1] * b[1] + c[1];
	r[2] = a[2] * b[2] - c[2];
	r[3] = a[3] * b[3] + c[3];
}
