/* Citations that unsourced/docs/sources.md does not resolve, for house/sources-can-fail. Well: OBA ch. 6, OBA 6.1,
 * OBA eq. 6.7 and TAOCP 2, 4.2.2, errata 1. Wrong: fig. 9.9, OBA 3.3, OBA 6.1 to
 * 6.2, SHELL 3.1, RBS, KNUTH 4.2, errata 1 to 2. */
int cn_a(void);
