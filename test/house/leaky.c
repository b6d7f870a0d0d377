/* A library that breaks the rules symbols.sh and globals.sh look for: the tests expect a refusal. */
#include <math.h>
#include <stdio.h>

double leak(double x);
extern int leaks;
int leaks = 1;

double leak(double x)
{
	puts("printed");
	return sin(x) * leaks;
}
