/* Light, from the top: a sun with soft shadows (a map of depths, many taps), a sky that lights from above and a floor that
 * throws some of it back, both dimmed in corners (ambient obscurance in screen space, McGuire et al. 2012), a faint
 * shine. Edges of solids are shaded as if worn round. */
#include "render_shaders.h"

#include <stddef.h>

#define VERSION "#version 330 core\n"

/* Where a corner of an instance is, and its turn. */
static const char instance[] =
	VERSION "layout(location = 0) in vec3 at;\n"
			"layout(location = 4) in vec4 row0;\n"
			"layout(location = 5) in vec4 row1;\n"
			"layout(location = 6) in vec4 row2;\n"
			"layout(location = 7) in vec4 color;\n"
			"uniform mat4 project;\n"
			"vec3 place(vec3 p) { vec4 q = vec4(p, 1.0); return vec3(dot(row0, q), dot(row1, q), dot(row2, q)); }\n"
			"vec3 turn(vec3 v) { return vec3(dot(row0.xyz, v), dot(row1.xyz, v), dot(row2.xyz, v)); }\n";

static const char shadow_vertex[] = "void main() { gl_Position = project * vec4(place(at), 1.0); }\n";
static const char shadow_fragment[] = VERSION "void main() {}\n";

static const char depth_vertex[] = "out vec3 seen;\n"
								   "uniform mat4 look;\n"
								   "void main() {\n"
								   "	vec3 p = place(at);\n"
								   "	seen = (look * vec4(p, 1.0)).xyz;\n"
								   "	gl_Position = project * vec4(p, 1.0);\n"
								   "}\n";
static const char depth_fragment[] =
	VERSION "in vec3 seen;\n"
			"out vec4 result;\n"
			"void main() { result = vec4(normalize(cross(dFdx(seen), dFdy(seen))), -seen.z); }\n";

/* A triangle over the whole picture. */
static const char whole[] = VERSION "out vec2 screen;\n"
									"void main() {\n"
									"	screen = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
									"	gl_Position = vec4(screen, 1.0, 1.0);\n"
									"}\n";

/* The map of corners has in each pixel: open sky, sun, and the depth as a logarithm in two bytes, of which this is one
 * number of 10.2 an octave. */
#define DEPTH                                                                                                          \
	"vec2 packed_depth(float x) { float d = clamp(log2(x) * 10.2 + 127.0, 0.0, 254.9); return vec2(floor(d) / 255.0, " \
	"fract(d)); }\n"                                                                                                   \
	"float depth_of(vec4 c) { return c.z * 255.0 + c.w; }\n"

static const char corners_fragment[] = VERSION DEPTH
	"const mat2 NEXT = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688);\n" /* the golden angle */
	"in vec2 screen;\n"
	"out vec4 result;\n"
	"uniform sampler2D geometry;\n"
	"uniform vec4 lens;\n"  /* tangents of the half angles; half the picture's height in pixels over tan_y; taps */
	"uniform vec4 reach;\n" /* radius in m; the most in pixels; strength; bias as a part of the distance */
	"uniform sampler2DShadow shadows;\n"
	"uniform mat4 to_sun;\n"                 /* from the camera's axes to the map of shadows */
	"uniform vec3 sun, sun_right, sun_up;\n" /* in the camera's axes */
	"uniform vec4 soft;\n" /* radius of the taps as a part of the map; taps; m to lift points off; 1/m: unit of depth */
	/* Each tap is compared with the depth that the surface itself has there. */
	"float sunlit(vec3 p, vec3 n, vec2 way) {\n"
	"	float toward = dot(n, sun), sum = 0.0;\n"
	"	if (toward <= 0.0) return 0.0;\n"
	"	vec3 at = (to_sun * vec4(p + n * (soft.z * (3.0 - 2.0 * toward)), 1.0)).xyz * 0.5 + 0.5;\n"
	"	if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;\n"
	"	vec2 slope = vec2(dot(n, sun_right), dot(n, sun_up)) * (2.0 / 3.0) / max(toward, 0.05);\n"
	"	for (float i = 0.5; i < soft.y; i += 1.0) {\n"
	"		vec2 off = way * (soft.x * sqrt(i / soft.y));\n"
	"		sum += texture(shadows, vec3(at.xy + off, at.z + dot(slope, off)));\n"
	"		way = NEXT * way;\n"
	"	}\n"
	"	return sum / soft.y;\n"
	"}\n"
	"void main() {\n"
	"	ivec2 here = ivec2(gl_FragCoord.xy), size = textureSize(geometry, 0);\n"
	"	vec4 g = texelFetch(geometry, here, 0);\n"
	"	if (g.w > 1e20) { result = vec4(1.0); return; }\n"
	"	vec3 p = vec3(screen * lens.xy, -1.0) * g.w;\n"
	"	float far = min(reach.x * lens.z / g.w, reach.y);\n"
	"	float radius = far * g.w / lens.z, most = radius * radius, sum = 0.0;\n"
	"	int cell = (here.x & 3) | (here.y & 3) << 2;\n"
	"	float start = float((cell * 7) & 15) * 0.3926991, taps = lens.w;\n"
	"	vec2 way = vec2(cos(start), sin(start));\n"
	"	float direct = sunlit(p, g.xyz, way);\n"
	"	for (float i = 0.5; i < taps; i += 1.0) {\n"
	"		ivec2 there = clamp(here + ivec2(way * (far * i / taps + 1.0)), ivec2(0), size - 1);\n"
	"		way = NEXT * way;\n"
	"		float depth = texelFetch(geometry, there, 0).w;\n"
	"		vec2 at = (2.0 * (vec2(there) + 0.5) / vec2(size) - 1.0) * lens.xy;\n"
	"		vec3 v = vec3(at, -1.0) * depth - p;\n"
	"		float vv = dot(v, v), f = max(most - vv, 0.0);\n"
	"		sum += f * f * f * max((dot(v, g.xyz) - reach.w * g.w) / (vv + 0.01 * most), 0.0);\n"
	"	}\n"
	"	float open = max(0.0, 1.0 - sum * reach.z * radius / (most * most * most * taps));\n"
	"	result = vec4(open, direct, packed_depth(g.w * soft.w));\n"
	"}\n";

/* The pattern of starting directions has a period of four: a square of four averages it out. */
static const char smooth_fragment[] =
	VERSION DEPTH "in vec2 screen;\n"
				  "out vec4 result;\n"
				  "uniform sampler2D corners;\n"
				  "void main() {\n"
				  "	ivec2 here = ivec2(gl_FragCoord.xy), most = textureSize(corners, 0) - 1;\n"
				  "	vec4 own = texelFetch(corners, here, 0);\n"
				  "	float depth = depth_of(own), weights = 1e-4, least = 1.0;\n"
				  "	vec2 sum = 1e-4 * own.xy;\n"
				  "	for (int y = -2; y < 2; ++y)\n"
				  "		for (int x = -2; x < 2; ++x) {\n"
				  "			vec4 other = texelFetch(corners, clamp(here + ivec2(x, y), ivec2(0), most), 0);\n"
				  "			float weight = max(0.0, 1.0 - 2.0 * abs(depth_of(other) - depth));\n"
				  "			sum += weight * other.xy;\n"
				  "			weights += weight;\n"
				  "			least = min(least, weight);\n"
				  "		}\n"
				  "	result = vec4(sum / weights, least > 0.0 ? 1.0 : 0.0, 1.0);\n" /* 1: all here is of one surface */
				  "}\n";

static const char light[] = VERSION DEPTH
	"uniform vec3 eye, sun, sun_color, up;\n"
	"uniform sampler2D corners, raw;\n"
	"uniform vec4 shade;\n" /* 1 / size of the picture, both ways; 1/m: unit of depth; oversampling */
	"const vec3 HORIZON = vec3(0.63, 0.72, 0.80);\n"
	"vec3 sky(vec3 d) {\n"
	"	float h = dot(d, up), a = abs(h);\n"
	"	return mix(HORIZON, h > 0.0 ? vec3(0.13, 0.29, 0.56) : vec3(0.26, 0.28, 0.31), a * (2.0 - a));\n"
	"}\n"
	/* Part of the sky and of the sun that is seen from here. Where the map of corners, whose pixels are larger, is of
	 * several surfaces, those at another depth are left out. */
	"vec2 open_sky() {\n"
	"	vec4 smooth_one = texture(corners, gl_FragCoord.xy * shade.xy);\n"
	"	if (smooth_one.z > 0.99) return smooth_one.xy;\n"
	"	ivec2 size = textureSize(corners, 0);\n"
	"	float depth = depth_of(vec4(0.0, 0.0, packed_depth(shade.z / gl_FragCoord.w))), weights = 0.0;\n"
	"	vec2 at = gl_FragCoord.xy * shade.xy * vec2(size) - 0.5, from = floor(at), part = at - from, sum = vec2(0.0);\n"
	"	for (int i = 0; i < 4; ++i) {\n"
	"		ivec2 step = ivec2(i & 1, i >> 1), there = clamp(ivec2(from) + step, ivec2(0), size - 1);\n"
	"		vec2 near = mix(1.0 - part, part, vec2(step));\n"
	"		float off = abs(depth_of(texelFetch(raw, there, 0)) - depth);\n"
	"		float weight = (near.x * near.y + 0.01) * max(1e-3, 1.0 - 2.0 * off);\n"
	"		sum += weight * texelFetch(corners, there, 0).xy;\n"
	"		weights += weight;\n"
	"	}\n"
	"	return sum / weights;\n"
	"}\n"
	/* d: the normal along the ways to the sun, up, halfway between sun and eye, to the eye; rise: up, to the eye. */
	"vec3 lit(vec4 d, float rise, vec3 albedo, float shine) {\n"
	"	vec2 open = open_sky();\n"
	"	float direct = max(d.x, 0.0) * open.y, rim = 1.0 - max(d.w, 0.0), gloss = max(d.z, 0.0);\n"
	"	vec3 ambient = mix(vec3(0.19, 0.17, 0.15), vec3(0.38, 0.44, 0.54), 0.5 + 0.5 * d.y) * open.x;\n"
	"	vec3 color = albedo * ((1.22 * direct * (0.6 + 0.4 * open.x)) * sun_color + ambient);\n"
	"	rim *= rim;\n"
	"	rim *= rim;\n"
	"	gloss *= gloss, gloss *= gloss, gloss *= gloss, gloss *= gloss, gloss *= gloss;\n"
	"	float high = 0.35 + 0.65 * smoothstep(-0.3, 0.3, 2.0 * d.w * d.y - rise);\n" /* of what is mirrored */
	"	return color + shine * (direct * gloss * sun_color + ((0.06 + 0.5 * rim) * open.x * high) * HORIZON);\n"
	"}\n"
	/* Linear to what a screen takes: the brightest parts bend over; then the curve of sRGB, nearly. */
	"vec3 shown(vec3 c) {\n"
	"	c = min(c, 1.3);\n"
	"	vec3 over = max(c - 0.7, 0.0);\n"
	"	c -= over * over * (1.0 / 1.2);\n"
	"	return 1.138 * sqrt(c) - 0.138 * c;\n"
	"}\n";

/* Of the normals only their products with a few directions matter, and these vary linearly over a triangle, or nearly. */
static const char body_vertex[] =
	"layout(location = 1) in vec3 normal;\n"
	"layout(location = 2) in vec3 worn;\n"
	"layout(location = 3) in vec3 edge;\n"
	"layout(location = 8) in vec3 paint;\n"
	"out vec4 plain, bent, e, tint;\n"
	"out vec2 own;\n"
	"uniform vec4 finish;\n"
	"uniform vec3 eye, sun, up;\n"
	"void main() {\n"
	"	vec3 p = place(at), v = normalize(eye - p), h = normalize(sun + v), n = turn(normal), m = turn(worn);\n"
	"	n /= max(1.0, length(n)), m /= max(1.0, length(m));\n" /* thin ropes are made thicker by their turn */
	"	plain = vec4(dot(n, sun), dot(n, up), dot(n, h), dot(n, v));\n"
	"	bent = vec4(dot(m, sun), dot(m, up), dot(m, h), dot(m, v));\n"
	"	e = vec4(finish.y == 1.0 ? normal : edge, dot(v, up));\n"
	"	own = at.xy;\n"
	"	tint = vec4(color.rgb * paint, color.a);\n"
	"	gl_Position = project * vec4(p, 1.0);\n"
	"}\n";

static const char body_edges[] =
	"in vec4 plain, bent, e, tint;\n"
	"in vec2 own;\n"
	"out vec4 result;\n"
	/* width of worn edges in m; 1: a ball, e is its own direction, 2: a wheel; pixels a m at 1 m; 1/width */
	"uniform vec4 finish;\n"
	/* How near the edge is: 1 on it, 0 off it. It stays a pixel wide far away. */
	"float worn_edge() {\n"
	"	if (finish.y == 1.0) return 0.0;\n"
	"	float pixels = finish.z * gl_FragCoord.w, d = min(e.x, min(e.y, e.z)) * min(finish.w, 0.9 * pixels);\n"
	"	float near = max(1.0 - d, 0.0);\n"
	"	return near * near * clamp(6.0 * finish.x * pixels, 0.3, 1.0);\n"
	"}\n";

static const char body_fragment[] =
	"void main() {\n"
	"	float edge = worn_edge();\n"
	"	vec3 albedo = tint.rgb * (1.0 + 0.25 * edge) + 0.012 * edge;\n"
	/* A band about a ball, two quarters of a wheel: one sees it turn. */
	"	if (finish.y == 1.0) {\n"
	"		float width = fwidth(e.z), band = smoothstep(0.30 - width, 0.30 + width, abs(e.z));\n"
	"		albedo = mix(mix(albedo, vec3(0.85, 0.83, 0.78), 0.75), albedo, band);\n"
	"	} else if (finish.y == 2.0 && tint.a >= 0.0) {\n"
	"		vec2 w = fwidth(own), side = clamp(own / max(w, vec2(1e-9)), -1.0, 1.0);\n"
	"		albedo = mix(albedo, mix(albedo, vec3(0.85, 0.83, 0.78), 0.45), 0.5 + 0.5 * side.x * side.y);\n"
	"	}\n"
	"	vec4 d = mix(plain, bent, 0.85 * edge);\n"
	"	result = vec4(shown(lit(gl_FrontFacing ? d : -d, e.w, albedo, 0.25 * abs(tint.a))), 1.0);\n"
	"}\n";

static const char glass_fragment[] =
	"void main() {\n"
	"	float graze = 1.0 - abs(plain.w);\n"
	"	vec3 color = mix(tint.rgb, vec3(0.75, 0.85, 0.92), 0.6);\n"
	"	float alpha = tint.a * (1.0 + 3.0 * graze * graze * graze) + 0.45 * worn_edge();\n"
	"	result = vec4(shown(color), clamp(alpha, 0.0, 0.8));\n"
	"}\n";

/* A plane to the horizon: a grid tells its scale, and distance turns it into sky. */
static const char floor_vertex[] =
	VERSION "uniform mat4 project;\n"
			"uniform vec3 corner, across, along, origin;\n"
			"uniform vec4 grid;\n" /* 1 over half the plane's width and the width of a cell, m^-2 */
			"out vec3 p;\n"
			"out vec2 at;\n"
			"void main() {\n"
			"	vec2 c = vec2(gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4,\n"
			"	              gl_VertexID == 2 || gl_VertexID == 4 || gl_VertexID == 5) * 2.0 - 1.0;\n"
			"	p = corner + c.x * across + c.y * along;\n"
			"	at = vec2(dot(p - origin, across), dot(p - origin, along)) * grid.x;\n"
			"	gl_Position = project * vec4(p, 1.0);\n"
			"}\n";
static const char floor_fragment[] =
	"in vec3 p;\n"
	"in vec2 at;\n"
	"out vec4 result;\n"
	"uniform vec4 ground;\n" /* colour; 1/m: where it becomes sky */
	"uniform vec3 normal;\n"
	"float lines(vec2 where, vec2 width) {\n"
	"	vec2 near = max(1.0 - abs(fract(where - 0.5) - 0.5) / (0.010 + width), 0.0) * min(0.20 / width, 1.0);\n"
	"	return max(near.x, near.y);\n"
	"}\n"
	"void main() {\n"
	"	vec2 width = fwidth(at) + 1e-6;\n"
	"	vec3 albedo = ground.rgb * (1.0 - 0.16 * lines(at, width) - 0.22 * lines(at * 0.2, width * 0.2));\n"
	"	vec3 away = (p - eye) * ground.w;\n"
	"	vec3 color = lit(vec4(dot(normal, sun), dot(normal, up), 0.0, 1.0), 0.0, albedo, 0.0);\n"
	"	float far = dot(away, away);\n"
	"	result = vec4(shown(mix(color, HORIZON, far * far / (1.0 + far * far))), 1.0);\n"
	"}\n";

static const char sky_fragment[] = "in vec2 screen;\n"
								   "out vec4 result;\n"
								   "uniform vec3 right_way, up_way, forward;\n"
								   "void main() {\n"
								   "	vec3 d = normalize(forward + screen.x * right_way + screen.y * up_way);\n"
								   "	float glow = max(dot(d, sun), 0.0);\n"
								   "	glow *= glow, glow *= glow, glow *= glow, glow *= glow;\n"
								   "	vec3 color = sky(d) + sun_color * (0.15 * glow);\n"
								   /* Half a step of grain, so that there are no bands. */
								   "	float grain = fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy / shade.w), "
								   "vec2(0.06711056, 0.00583715)))) - 0.5;\n"
								   "	result = vec4(shown(color) + grain / 255.0, 1.0);\n"
								   "}\n";

static const char lines_vertex[] = "flat out vec4 tint;\n"
								   "void main() { tint = color; gl_Position = project * vec4(place(at), 1.0); }\n";
static const char marks_vertex[] = VERSION "layout(location = 0) in vec3 at;\n"
										   "layout(location = 1) in vec4 color;\n"
										   "uniform mat4 project;\n"
										   "out vec4 tint;\n"
										   "void main() { tint = color; gl_Position = project * vec4(at, 1.0); }\n";
static const char lines_fragment[] = VERSION "flat in vec4 tint;\n"
											 "out vec4 result;\n"
											 "void main() { result = vec4(pow(tint.rgb, vec3(1.0 / 2.2)), tint.a); }\n";
static const char marks_fragment[] = VERSION "in vec4 tint;\n"
											 "out vec4 result;\n"
											 "void main() { result = tint; }\n";

const shader_text shader_texts[SHADER_COUNT] = {
	[SHADER_SHADOW] = {{instance, shadow_vertex}, {shadow_fragment}},
	[SHADER_DEPTH] = {{instance, depth_vertex}, {depth_fragment}},
	[SHADER_CORNERS] = {{whole}, {corners_fragment}},
	[SHADER_SMOOTH] = {{whole}, {smooth_fragment}},
	[SHADER_BODY] = {{instance, body_vertex}, {light, body_edges, body_fragment}},
	[SHADER_FLOOR] = {{floor_vertex}, {light, floor_fragment}},
	[SHADER_SKY] = {{whole}, {light, sky_fragment}},
	[SHADER_GLASS] = {{instance, body_vertex}, {light, body_edges, glass_fragment}},
	[SHADER_LINES] = {{instance, lines_vertex}, {lines_fragment}},
	[SHADER_MARKS] = {{marks_vertex}, {marks_fragment}},
};
