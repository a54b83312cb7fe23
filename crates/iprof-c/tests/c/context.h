/* Creates an OpenGL context without a window, using EGL. EGL's headers are not needed. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *(*context_loader)(const char *name);

/* Values from EGL's headers. */
enum {
    EGL_NONE = 0x3038, EGL_OPENGL_API = 0x30A2, EGL_OPENGL_BIT = 8, EGL_RENDERABLE_TYPE = 0x3040, EGL_SURFACE_TYPE = 0x3033,
    EGL_PBUFFER_BIT = 1, EGL_CONTEXT_MAJOR_VERSION = 0x3098, EGL_CONTEXT_MINOR_VERSION = 0x30FB,
    EGL_PLATFORM_SURFACELESS_MESA = 0x31DD, EGL_WIDTH = 0x3057, EGL_HEIGHT = 0x3056
};

/* Makes an OpenGL context of this version or later current, with a surface of this size. Returns a function that
 * looks up OpenGL's functions, or NULL if there is no OpenGL. Version 2.1 has immediate mode; 3.3 does not. */
static context_loader make_context(int width, int height, int major, int minor)
{
    void *egl = dlopen("libEGL.so.1", RTLD_NOW);
    context_loader find = NULL;
    void *(*get_display)(unsigned, void *, const int *);
    unsigned (*initialize)(void *, int *, int *), (*bind)(unsigned), (*make_current)(void *, void *, void *, void *);
    unsigned (*choose)(void *, const int *, void **, int, int *);
    void *(*create)(void *, void *, void *, const int *), *(*surface_of)(void *, void *, const int *);
    const int wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const int version[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
    int size[] = {EGL_WIDTH, 0, EGL_HEIGHT, 0, EGL_NONE};
    void *display, *config, *context, *surface;
    int count = 0;
    if (!egl) return NULL;
    size[1] = width, size[3] = height;
    *(void **)&find = dlsym(egl, "eglGetProcAddress");
    *(void **)&initialize = dlsym(egl, "eglInitialize");
    *(void **)&bind = dlsym(egl, "eglBindAPI");
    *(void **)&choose = dlsym(egl, "eglChooseConfig");
    *(void **)&create = dlsym(egl, "eglCreateContext");
    *(void **)&surface_of = dlsym(egl, "eglCreatePbufferSurface");
    *(void **)&make_current = dlsym(egl, "eglMakeCurrent");
    *(void **)&get_display = find("eglGetPlatformDisplayEXT");
    if (!get_display) return NULL;
    display = get_display(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (!display || !initialize(display, NULL, NULL) || !bind(EGL_OPENGL_API)) return NULL;
    if (!choose(display, wanted, &config, 1, &count) || count < 1) return NULL;
    context = create(display, config, NULL, version);
    surface = surface_of(display, config, size);
    return context && surface && make_current(display, surface, surface, context) ? find : NULL;
}
