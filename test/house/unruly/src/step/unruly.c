/* Rules that the register refuses: what tools/rules.mjs has to find (house/rules-can-fail). */

#define CN_BARE 1.0

/* rule: sound; of a radius; it is as it should be; scene: scenes/there.json; test: test_there/case; with: CN_TOO */
#define CN_SOUND 2.0
#define CN_TOO 3 /* frames: with the one above */

/* rule: untested; of a radius; nobody knows; scene: built by the test */
#define CN_UNTESTED 4.0

/* rule: lost; of a radius; all that it names is not there; scene: scenes/away.json; test: test_there/away,
 * test_away/case, validation/away, worlds/away; with: CN_AWAY */
#define CN_LOST 5.0

/* rule: bare; of a radius; test: test_there/case */
#define CN_UNREASONED 6.0
