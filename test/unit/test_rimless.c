/* A wheel of spokes without a rim rolls down a slope from impact to impact. With all mass m in its hub, spokes of length l
 * and an angle 2a between them, an impact leaves cos 2a of the spin, and falling from spoke to spoke on a slope c gives
 * 4 (g/l) sin a sin c to its square: so after impacts it is 4 (g/l) sin a sin c cot^2 2a. */
#include "hardship.h"

#include <stdlib.h>

#ifndef TEST_SOURCE_DIR
#define TEST_SOURCE_DIR "."
#endif

/* The square of the spin just after the impact, from a key a little later: the hub has gone round the new foot since. */
static double after_impact(cairn_key k, double a, double slope)
{
	double up = k.position.z, gone = sin(a) - sqrt(1 - up * up);
	return k.spin.y * k.spin.y + 2 * 9.81 * (cos(slope) * (up - cos(a)) - sin(slope) * gone);
}

/* Each impact halves what the square of the spin is off by, so after twelve seconds nothing of the start is left. */
static void walk(const char *fps)
{
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_read(TEST_SOURCE_DIR "/scenes/rimless.json", &e);
	cairn_settings settings;
	REQUIRE(s);
	settings = cairn_scene_settings(s);
	settings.fps = strtod(fps, NULL);
	REQUIRE(cairn_scene_set_settings(s, &settings, &e));
	yard y = yard_open(s, 1);
	cairn_body wheel = cairn_world_find_body(y.world, "wheel");
	double spin = 0, worst = 0, exact = 4 * 9.81 * sin(CN_PI / 8) * sin(0.1);
	uint32_t blows = 0, frames = (uint32_t)(20 * settings.fps);
	for (uint32_t i = 0; i < frames && yard_step(&y); ++i) {
		double now = yard_key(&y, wheel).spin.y;
		if (i > 12 * settings.fps && now < 0.85 * spin)
			worst = fmax(worst, fabs(after_impact(yard_key(&y, wheel), CN_PI / 8, 0.1) / exact - 1)), ++blows;
		spin = now;
	}
	printf("%s frames a second: %u impacts, spin^2 off by %.5f at most\n", fps, blows, worst);
	CHECK(blows >= 8);
	CHECK(worst < 0.01);
	CHECK(fabs(yard_key(&y, wheel).position.y) < 1e-6);
	yard_close(&y);
}

TEST(a_wheel_without_a_rim_walks)
{
	walk("30");
	walk("60");
	walk("120");
}

TEST_MAIN(TEST_CASE(a_wheel_without_a_rim_walks))
