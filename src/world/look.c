/* The colour that a body is shown in, by pictures, pages and exported files alike.
 *
 * A body to which the scene gives no colour has the library's even grey; it is shown in one of a palette by its number,
 * and what is fixed as ground. Neighbours in a pile often have one colour: eight shades tell them apart, few enough that
 * files with thousands of bodies have some dozens of materials. */
#include "world/world.h"

#define CN_SHADES 8u
static const double CN_SHADE_LEAST = 0.86, CN_SHADE_MOST = 1.14; /* of the colour; the darkest and the lightest */

static const cairn_color PALETTE[] = {{0.58, 0.075, 0.045}, {0.79, 0.24, 0.035}, {0.86, 0.50, 0.09},
                                      {0.19, 0.42, 0.12},   {0.035, 0.30, 0.33}, {0.045, 0.19, 0.48},
                                      {0.22, 0.11, 0.38},   {0.66, 0.28, 0.27}};
static const cairn_color GROUND = {0.40, 0.40, 0.38};

static bool is_plain(cairn_color c) { return c.r == CN_PLAIN_COLOR && c.g == CN_PLAIN_COLOR && c.b == CN_PLAIN_COLOR; }

cairn_color cairn_shown_color(const cairn_body_info *body)
{
	bool plain = is_plain(body->color);
	if (body->type == CAIRN_FIXED)
		return plain ? GROUND : body->color;
	cairn_color c = plain ? PALETTE[body->serial % CN_COUNT(PALETTE)] : body->color;
	uint32_t mixed = body->serial * 2654435761u >> 29; /* Knuth's multiplier spreads neighbours; three bits of it */
	double shade = CN_SHADE_LEAST + (CN_SHADE_MOST - CN_SHADE_LEAST) * mixed / (CN_SHADES - 1);
	return (cairn_color){fmin(c.r * shade, 1), fmin(c.g * shade, 1), fmin(c.b * shade, 1)};
}

cairn_shape cairn_shown_shape(const cairn_body_info *body, cairn_pose *place)
{
	bool visual = body->visual.generation != 0;
	if (place)
		*place = visual ? body->visual_pose : pose_identity();
	return visual ? body->visual : body->shape;
}
