/* OpenGL 3.3 core without a window, found when it is needed: nothing of it is linked, so the tool runs where there is
 * none. What is used is declared here; offsets into buffers, which OpenGL spells as pointers, are numbers. */
#ifndef GL_H
#define GL_H

#include "cairn/cairn.h"

typedef unsigned int gl_enum, gl_uint;
typedef int gl_int;
typedef ptrdiff_t gl_size;

#define GL_FUNCTIONS(X)                                                                                                \
	X(void, ActiveTexture, (gl_enum unit))                                                                             \
	X(void, AttachShader, (gl_uint program, gl_uint shader))                                                           \
	X(void, BindBuffer, (gl_enum target, gl_uint buffer))                                                              \
	X(void, BindFramebuffer, (gl_enum target, gl_uint framebuffer))                                                    \
	X(void, BindRenderbuffer, (gl_enum target, gl_uint buffer))                                                        \
	X(void, BindTexture, (gl_enum target, gl_uint texture))                                                            \
	X(void, BindVertexArray, (gl_uint array))                                                                          \
	X(void, BlendFuncSeparate, (gl_enum source, gl_enum target, gl_enum source_alpha, gl_enum target_alpha))           \
	X(void, BlitFramebuffer,                                                                                           \
	  (gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_uint mask, gl_enum filter))                  \
	X(void, BufferData, (gl_enum target, gl_size size, const void *data, gl_enum usage))                               \
	X(gl_enum, CheckFramebufferStatus, (gl_enum target))                                                               \
	X(void, Clear, (gl_uint mask))                                                                                     \
	X(void, ClearColor, (float, float, float, float))                                                                  \
	X(void, ColorMask, (unsigned char, unsigned char, unsigned char, unsigned char))                                   \
	X(void, CompileShader, (gl_uint shader))                                                                           \
	X(gl_uint, CreateProgram, (void))                                                                                  \
	X(gl_uint, CreateShader, (gl_enum kind))                                                                           \
	X(void, CullFace, (gl_enum face))                                                                                  \
	X(void, DeleteShader, (gl_uint shader))                                                                            \
	X(void, DepthFunc, (gl_enum function))                                                                             \
	X(void, DepthMask, (unsigned char on))                                                                             \
	X(void, Disable, (gl_enum what))                                                                                   \
	X(void, DrawArrays, (gl_enum mode, gl_int first, gl_int count))                                                    \
	X(void, DrawBuffer, (gl_enum buffer))                                                                              \
	X(void, DrawElementsInstanced, (gl_enum mode, gl_int count, gl_enum type, size_t offset, gl_int instances))        \
	X(void, Enable, (gl_enum what))                                                                                    \
	X(void, EnableVertexAttribArray, (gl_uint index))                                                                  \
	X(void, Flush, (void))                                                                                             \
	X(void, FramebufferRenderbuffer, (gl_enum target, gl_enum attachment, gl_enum kind, gl_uint buffer))               \
	X(void, FramebufferTexture2D, (gl_enum target, gl_enum attachment, gl_enum kind, gl_uint texture, gl_int level))   \
	X(void, GenBuffers, (gl_int count, gl_uint * buffers))                                                             \
	X(void, GenFramebuffers, (gl_int count, gl_uint * framebuffers))                                                   \
	X(void, GenRenderbuffers, (gl_int count, gl_uint * buffers))                                                       \
	X(void, GenTextures, (gl_int count, gl_uint * textures))                                                           \
	X(void, GenVertexArrays, (gl_int count, gl_uint * arrays))                                                         \
	X(gl_enum, GetError, (void))                                                                                       \
	X(void, GetIntegerv, (gl_enum what, gl_int * value))                                                               \
	X(void, GetProgramInfoLog, (gl_uint program, gl_int size, gl_int * length, char *text))                            \
	X(void, GetProgramiv, (gl_uint program, gl_enum what, gl_int * value))                                             \
	X(void, GetShaderInfoLog, (gl_uint shader, gl_int size, gl_int * length, char *text))                              \
	X(void, GetShaderiv, (gl_uint shader, gl_enum what, gl_int * value))                                               \
	X(const char *, GetString, (gl_enum what))                                                                         \
	X(gl_int, GetUniformLocation, (gl_uint program, const char *name))                                                 \
	X(void, LineWidth, (float width))                                                                                  \
	X(void, LinkProgram, (gl_uint program))                                                                            \
	X(void, PixelStorei, (gl_enum what, gl_int value))                                                                 \
	X(void, PolygonOffset, (float factor, float units))                                                                \
	X(void, ReadBuffer, (gl_enum buffer))                                                                              \
	X(void, ReadPixels, (gl_int x, gl_int y, gl_int width, gl_int height, gl_enum format, gl_enum type, void *pixels)) \
	X(void, RenderbufferStorage, (gl_enum target, gl_enum format, gl_int width, gl_int height))                        \
	X(void, RenderbufferStorageMultisample,                                                                            \
	  (gl_enum target, gl_int samples, gl_enum format, gl_int width, gl_int height))                                   \
	X(void, ShaderSource, (gl_uint shader, gl_int count, const char *const *texts, const gl_int *sizes))               \
	X(void, TexImage2D,                                                                                                \
	  (gl_enum target, gl_int level, gl_int format, gl_int width, gl_int height, gl_int border, gl_enum layout,        \
	   gl_enum type, const void *pixels))                                                                              \
	X(void, TexParameteri, (gl_enum target, gl_enum what, gl_int value))                                               \
	X(void, Uniform1f, (gl_int at, float x))                                                                           \
	X(void, Uniform1i, (gl_int at, gl_int x))                                                                          \
	X(void, Uniform3fv, (gl_int at, gl_int count, const float *x))                                                     \
	X(void, Uniform4fv, (gl_int at, gl_int count, const float *x))                                                     \
	X(void, UniformMatrix4fv, (gl_int at, gl_int count, unsigned char transpose, const float *x))                      \
	X(void, UseProgram, (gl_uint program))                                                                             \
	X(void, VertexAttribDivisor, (gl_uint index, gl_uint divisor))                                                     \
	X(void, VertexAttribPointer,                                                                                       \
	  (gl_uint index, gl_int size, gl_enum type, unsigned char normalized, gl_int stride, size_t offset))              \
	X(void, Viewport, (gl_int x, gl_int y, gl_int width, gl_int height))

typedef struct gl {
#define GL_FIELD(type, name, arguments) type(*name) arguments;
	GL_FUNCTIONS(GL_FIELD)
#undef GL_FIELD
	void *display, *context; /* EGL's */
	unsigned (*end_context)(void *display, void *context);
	unsigned (*end_display)(void *display);
	unsigned (*use_context)(void *display, void *draw, void *read, void *context);
} gl;

enum {
	GL_ONE = 0x0001, /* as a factor */
	GL_LINES = 0x0001,
	GL_TRIANGLES = 0x0004,
	GL_SRC_ALPHA = 0x0302,
	GL_ONE_MINUS_SRC_ALPHA = 0x0303,
	GL_LESS = 0x0201,
	GL_LEQUAL = 0x0203,
	GL_ALWAYS = 0x0207,
	GL_FRONT = 0x0404,
	GL_BACK = 0x0405,
	GL_OUT_OF_MEMORY = 0x0505,
	GL_CULL_FACE = 0x0B44,
	GL_DEPTH_TEST = 0x0B71,
	GL_BLEND = 0x0BE2,
	GL_PACK_ALIGNMENT = 0x0D05,
	GL_MAX_TEXTURE_SIZE = 0x0D33,
	GL_TEXTURE_2D = 0x0DE1,
	GL_UNSIGNED_BYTE = 0x1401,
	GL_UNSIGNED_INT = 0x1405,
	GL_FLOAT = 0x1406,
	GL_RED = 0x1903,
	GL_RGB = 0x1907,
	GL_RGBA = 0x1908,
	GL_DEPTH_COMPONENT = 0x1902,
	GL_RENDERER = 0x1F01,
	GL_NEAREST = 0x2600,
	GL_LINEAR = 0x2601,
	GL_TEXTURE_MAG_FILTER = 0x2800,
	GL_TEXTURE_MIN_FILTER = 0x2801,
	GL_TEXTURE_WRAP_S = 0x2802,
	GL_TEXTURE_WRAP_T = 0x2803,
	GL_POLYGON_OFFSET_FILL = 0x8037,
	GL_RGBA8 = 0x8058,
	GL_CLAMP_TO_EDGE = 0x812F,
	GL_DEPTH_COMPONENT24 = 0x81A6,
	GL_R8 = 0x8229,
	GL_TEXTURE0 = 0x84C0,
	GL_TEXTURE_COMPARE_MODE = 0x884C,
	GL_TEXTURE_COMPARE_FUNC = 0x884D,
	GL_COMPARE_REF_TO_TEXTURE = 0x884E,
	GL_RGBA32F = 0x8814,
	GL_ARRAY_BUFFER = 0x8892,
	GL_ELEMENT_ARRAY_BUFFER = 0x8893,
	GL_STREAM_DRAW = 0x88E0,
	GL_STATIC_DRAW = 0x88E4,
	GL_FRAGMENT_SHADER = 0x8B30,
	GL_VERTEX_SHADER = 0x8B31,
	GL_COMPILE_STATUS = 0x8B81,
	GL_LINK_STATUS = 0x8B82,
	GL_MULTISAMPLE = 0x809D,
	GL_READ_FRAMEBUFFER = 0x8CA8,
	GL_DRAW_FRAMEBUFFER = 0x8CA9,
	GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
	GL_COLOR_ATTACHMENT0 = 0x8CE0,
	GL_DEPTH_ATTACHMENT = 0x8D00,
	GL_FRAMEBUFFER = 0x8D40,
	GL_RENDERBUFFER = 0x8D41,
	GL_MAX_RENDERBUFFER_SIZE = 0x84E8,
	GL_COLOR_BUFFER_BIT = 0x4000,
	GL_DEPTH_BUFFER_BIT = 0x0100
};

/* A context of its own, current on this thread. False: error says what is missing (CAIRN_MISSING). */
bool gl_open(gl *g, cairn_error *error);
void gl_close(gl *g); /* with all that was made in it */
/* Calls go to this context from here on: where several are open. */
void gl_use(const gl *g);

/* Of a vertex and a fragment shader, each in pieces that end with NULL; 0: error says why. */
gl_uint gl_program(const gl *g, const char *const *vertex, const char *const *fragment, cairn_error *error);

#endif
