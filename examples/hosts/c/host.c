/* iprof in a C program that uses SDL 2: zones, the overlay, keys and mouse.
 *
 *     cc -O2 host.c -o host $(pkg-config --cflags --libs iprof-static sdl2 gl)
 */
#include <SDL.h>
#include <SDL_opengl.h>

#include "host.h"
#include "iprof.h"

static void draw_dial(int frame)
{
    int spoke;
    IPROF_FUNCTION();
    glBegin(GL_TRIANGLES);
    for (spoke = 0; spoke < SPOKES; spoke++) {
        IPROF_SCOPE("spoke");
        draw_spoke(spoke, frame);
    }
    glEnd();
}

static void on_key(const SDL_KeyboardEvent *key)
{
    /* iprof uses SDL's names, except for arrows and letters. */
    const char *const arrows[] = {"ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"};
    SDL_Keycode code = key->keysym.sym;
    char letter[2] = {0, 0};
    unsigned modifiers = 0;
    if (key->keysym.mod & KMOD_SHIFT) modifiers |= IPROF_SHIFT;
    if (key->keysym.mod & KMOD_CTRL) modifiers |= IPROF_CONTROL;
    if (key->keysym.mod & KMOD_ALT) modifiers |= IPROF_ALT;
    if (code >= SDLK_RIGHT && code <= SDLK_UP) {
        iprof_key(arrows[code - SDLK_RIGHT], modifiers);
    } else if (code > ' ' && code < 127) {
        letter[0] = (char)code;
        iprof_key(letter, modifiers);
    } else {
        iprof_key(SDL_GetKeyName(code), modifiers);
    }
}

static bool handle_events(void)
{
    SDL_Event event;
    bool goes_on = true;
    IPROF_FUNCTION();
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT) goes_on = false;
        else if (event.type == SDL_KEYDOWN) on_key(&event.key);
        else if (event.type == SDL_TEXTINPUT) iprof_text(event.text.text);
        else if (event.type == SDL_MOUSEMOTION) iprof_pointer_moved((float)event.motion.x, (float)event.motion.y);
        else if (event.type == SDL_MOUSEWHEEL) iprof_pointer_wheel((float)event.wheel.y, false);
        else if (event.type == SDL_MOUSEBUTTONDOWN || event.type == SDL_MOUSEBUTTONUP)
            iprof_pointer_button(event.button.button == SDL_BUTTON_LEFT ? 0 : 1, event.type == SDL_MOUSEBUTTONDOWN);
    }
    return goes_on;
}

int main(int argc, char **argv)
{
    struct options options = options_of(argc, argv);
    SDL_Window *window;
    SDL_GLContext context;
    int frame;
    bool is_last = false;
    if (SDL_Init(SDL_INIT_VIDEO)) return 1;
    window = SDL_CreateWindow("iprof in C", 0, 0, WIDTH, HEIGHT, SDL_WINDOW_OPENGL);
    context = window ? SDL_GL_CreateContext(window) : NULL;
    if (!context) fprintf(stderr, "%s\n", SDL_GetError()), exit(1);
    if (iprof_gl_init(SDL_GL_GetProcAddress)) fprintf(stderr, "%s\n", iprof_error_message()), exit(1);
    iprof_set_history(300);
    for (frame = 0; !is_last && handle_events(); frame++) {
        glViewport(0, 0, WIDTH, HEIGHT);
        glClearColor(0.1f, 0.1f, 0.15f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        draw_dial(frame);
        is_last = options.frames && frame + 1 >= options.frames;
        iprof_update(!iprof_is_paused());
        if (options.overlay && !iprof_is_hidden()) {
            iprof_draw_gl(20, 20, 600, 330, 2);
            iprof_draw_graph_gl(20, 500, 2, 4);
            iprof_draw_help_gl(20, 20, 600, 330);
            iprof_draw_tooltip_gl();
        }
        if (is_last && options.shot) save(options.shot);
        SDL_GL_SwapWindow(window);
    }
    iprof_gl_destroy();
    SDL_GL_DeleteContext(context);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return 0;
}
