#include <SDL.h>
#include <SDL_opengl.h>
#include <iprof.h>
#include <stdio.h>

static bool key(const SDL_KeyboardEvent *event)
{
    unsigned held = 0;
    if (event->keysym.mod & KMOD_SHIFT) held |= IPROF_SHIFT;
    if (event->keysym.mod & KMOD_CTRL) held |= IPROF_CONTROL;
    if (event->keysym.mod & KMOD_ALT) held |= IPROF_ALT;
    return iprof_key(SDL_GetKeyName(event->keysym.sym), held);
}

/* Passes the event to the overlay. Returns whether the overlay used it. */
static bool overlay_uses(const SDL_Event *event)
{
    bool is_down = event->type == SDL_MOUSEBUTTONDOWN;
    switch (event->type) {
    case SDL_KEYDOWN: return key(&event->key);
    case SDL_TEXTINPUT: return iprof_text(event->text.text);
    case SDL_MOUSEMOTION: return iprof_pointer_moved((float)event->motion.x, (float)event->motion.y);
    case SDL_MOUSEWHEEL: return iprof_pointer_wheel((float)event->wheel.y, false);
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: return iprof_pointer_button(event->button.button == SDL_BUTTON_LEFT ? 0 : 1, is_down);
    default: return false;
    }
}

static bool handle_events(void)
{
    SDL_Event event;
    IPROF_FUNCTION();
    while (SDL_PollEvent(&event)) {
        if (overlay_uses(&event)) continue;
        if (event.type == SDL_QUIT) return false;
    }
    return true;
}

static void draw_scene(int width, int height)
{
    IPROF_FUNCTION();
    glViewport(0, 0, width, height);
    glClearColor(0.1f, 0.2f, 0.3f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

int main(int argc, char **argv)
{
    SDL_Window *window;
    (void)argc, (void)argv;
    if (SDL_Init(SDL_INIT_VIDEO)) return 1;
    window = SDL_CreateWindow("app", 0, 0, 1280, 720, SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
    if (!window || !SDL_GL_CreateContext(window)) return fprintf(stderr, "%s\n", SDL_GetError()), 1;
    if (iprof_gl_init(SDL_GL_GetProcAddress)) return fprintf(stderr, "%s\n", iprof_error_message()), 1;
    while (handle_events()) {
        int width, height;
        SDL_GL_GetDrawableSize(window, &width, &height);
        draw_scene(width, height);
        iprof_update(!iprof_is_paused());
        iprof_draw_controls_gl(20, 20, (float)width - 40, (float)height - 40);
        SDL_GL_SwapWindow(window);
    }
    iprof_gl_destroy();
    SDL_Quit();
    return 0;
}
