/* Finds EGL, makes a context without a surface and looks up the functions of gl.h.
 *
 * Mesa's surfaceless platform needs neither a display server nor a graphics card; elsewhere the default display may do. */
#define _POSIX_C_SOURCE 200809L
#include "gl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum {
	EGL_SURFACE_TYPE = 0x3033,
	EGL_PBUFFER_BIT = 0x0001,
	EGL_RENDERABLE_TYPE = 0x3040,
	EGL_OPENGL_BIT = 0x0008,
	EGL_NONE = 0x3038,
	EGL_CONTEXT_MAJOR = 0x3098,
	EGL_CONTEXT_MINOR = 0x30FB,
	EGL_CONTEXT_PROFILE = 0x30FD,
	EGL_CORE_PROFILE = 0x0001,
	EGL_OPENGL_API = 0x30A2,
	EGL_SURFACELESS = 0x31DD
};

typedef void any_function(void);

typedef struct egl {
	unsigned (*Initialize)(void *display, int *major, int *minor);
	unsigned (*BindAPI)(unsigned api);
	unsigned (*ChooseConfig)(void *display, const int *wanted, void **configs, int size, int *count);
	void *(*CreateContext)(void *display, void *config, void *shared, const int *wanted);
	unsigned (*MakeCurrent)(void *display, void *draw, void *read, void *context);
	unsigned (*DestroyContext)(void *display, void *context);
	unsigned (*Terminate)(void *display);
	void *(*GetDisplay)(void *native);
	void *(*GetPlatformDisplayEXT)(unsigned platform, void *native, const int *attributes);
	any_function *(*GetProcAddress)(const char *name);
} egl;

static const char PACKAGES[] = "on Debian the packages libegl1 and libgl1-mesa-dri bring it";

static bool fail(cairn_error *error, const char *what, const char *why)
{
	*error = (cairn_error){.code = CAIRN_MISSING};
	snprintf(error->message, sizeof error->message, "drawing needs OpenGL 3.3 through EGL: %.120s%s%.160s; %s", what,
	         *why ? ": " : "", why, PACKAGES);
	return false;
}

/* The library stays loaded: drivers leave threads and exit handlers in it. */
static bool load_egl(egl *e, cairn_error *error)
{
	void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();
		return fail(error, "it cannot be loaded", why ? why : "");
	}
#define LOAD(name)                                                                                                     \
	do {                                                                                                               \
		void *found = dlsym(library, "egl" #name);                                                                     \
		if (!found)                                                                                                    \
			return fail(error, "it has no egl" #name, "");                                                             \
		memcpy(&e->name, &found, sizeof e->name);                                                                      \
	} while (false)
	LOAD(Initialize);
	LOAD(BindAPI);
	LOAD(ChooseConfig);
	LOAD(CreateContext);
	LOAD(MakeCurrent);
	LOAD(DestroyContext);
	LOAD(Terminate);
	LOAD(GetDisplay);
	LOAD(GetProcAddress);
#undef LOAD
	any_function *platform = e->GetProcAddress("eglGetPlatformDisplayEXT");
	memcpy(&e->GetPlatformDisplayEXT, &platform, sizeof platform);
	return true;
}

static void *start_display(const egl *e)
{
	int major, minor;
	void *display = e->GetPlatformDisplayEXT ? e->GetPlatformDisplayEXT(EGL_SURFACELESS, NULL, NULL) : NULL;
	if (display && e->Initialize(display, &major, &minor))
		return display;
	display = e->GetDisplay(NULL);
	return display && e->Initialize(display, &major, &minor) ? display : NULL;
}

static void *start_context(const egl *e, void *display)
{
	static const int kind[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
	static const int version[] = {EGL_CONTEXT_MAJOR, 3,       EGL_CONTEXT_MINOR, 3, EGL_CONTEXT_PROFILE,
	                              EGL_CORE_PROFILE,  EGL_NONE};
	void *config = NULL;
	int count = 0;
	if (!e->BindAPI(EGL_OPENGL_API))
		return NULL;
	if (!e->ChooseConfig(display, kind, &config, 1, &count) || count == 0)
		config = NULL; /* a context that knows no surface needs none */
	void *context = e->CreateContext(display, config, NULL, version);
	if (context && !e->MakeCurrent(display, NULL, NULL, context)) {
		e->DestroyContext(display, context);
		context = NULL;
	}
	return context;
}

bool gl_open(gl *g, cairn_error *error)
{
	egl e;
	*g = (gl){0};
	if (!load_egl(&e, error))
		return false;
	g->display = start_display(&e);
	if (!g->display)
		return fail(error, "it finds no driver", "");
	g->end_display = e.Terminate;
	g->end_context = e.DestroyContext;
	g->use_context = e.MakeCurrent;
	g->context = start_context(&e, g->display);
	if (!g->context) {
		gl_close(g);
		return fail(error, "the driver gives no context of that version", "");
	}
#define LOAD(type, name, arguments)                                                                                    \
	{                                                                                                                  \
		any_function *found = e.GetProcAddress("gl" #name);                                                            \
		if (!found) {                                                                                                  \
			gl_close(g);                                                                                               \
			return fail(error, "the driver has no gl" #name, "");                                                      \
		}                                                                                                              \
		memcpy(&g->name, &found, sizeof found);                                                                        \
	}
	GL_FUNCTIONS(LOAD)
#undef LOAD
	return true;
}

void gl_use(const gl *g) { g->use_context(g->display, NULL, NULL, g->context); }

void gl_close(gl *g)
{
	if (g->context)
		g->end_context(g->display, g->context);
	if (g->display)
		g->end_display(g->display);
	*g = (gl){0};
}

static bool fail_shader(cairn_error *error, const char *log)
{
	return fail(error, "the driver does not take the shaders", log);
}

static bool add_shader(const gl *g, gl_uint program, gl_enum kind, const char *const *pieces, cairn_error *error)
{
	char log[160] = "";
	gl_int count = 0, done = 0;
	while (pieces[count])
		++count;
	gl_uint shader = g->CreateShader(kind);
	g->ShaderSource(shader, count, pieces, NULL);
	g->CompileShader(shader);
	g->GetShaderiv(shader, GL_COMPILE_STATUS, &done);
	g->GetShaderInfoLog(shader, sizeof log, NULL, log);
	g->AttachShader(program, shader);
	g->DeleteShader(shader); /* it goes with its program */
	return done || fail_shader(error, log);
}

gl_uint gl_program(const gl *g, const char *const *vertex, const char *const *fragment, cairn_error *error)
{
	char log[160] = "";
	gl_int done = 0;
	gl_uint program = g->CreateProgram();
	if (!add_shader(g, program, GL_VERTEX_SHADER, vertex, error) ||
	    !add_shader(g, program, GL_FRAGMENT_SHADER, fragment, error))
		return 0;
	g->LinkProgram(program);
	g->GetProgramiv(program, GL_LINK_STATUS, &done);
	g->GetProgramInfoLog(program, sizeof log, NULL, log);
	if (!done)
		fail_shader(error, log);
	return done ? program : 0;
}
