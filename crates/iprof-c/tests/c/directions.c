/* Draws the output of prof.h in an OpenGL context, first with y pointing up and then with y pointing down. Both
 * pictures must be the same, with the text on its bars. Prints "no context" without OpenGL. */
#include "prof.h"
#include "context.h"
#include <string.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); exit(1); } } while (0)

enum {
    WIDTH = 640, HEIGHT = 360, LINE = 16, LETTER = 7, MOST_TEXTS = 1000, LEFT = 20, TOP = 320, GRAPH = 32,
    GL_COLOR_BUFFER_BIT = 0x4000, GL_RGBA = 0x1908, GL_UNSIGNED_BYTE = 0x1401, GL_QUADS = 7, GL_CULL_FACE = 0x0B44,
    GL_TEXTURE_2D = 0x0DE1, GL_PROJECTION = 0x1701
};

static void (*gl_begin)(unsigned), (*gl_end)(void), (*gl_vertex)(float, float), (*gl_color)(float, float, float, float);
static void (*gl_enable)(unsigned), (*gl_disable)(unsigned), (*clear_color)(float, float, float, float), (*clear)(unsigned);
static unsigned char (*gl_is_enabled)(unsigned);
static void (*matrix_mode)(unsigned), (*load_identity)(void), (*ortho)(double, double, double, double, double, double);
static void (*read_pixels)(int, int, int, int, unsigned, unsigned, void *);
static unsigned (*get_error)(void);

/* The program's own versions of these functions, as in a program linked with OpenGL. */
void glBegin(unsigned kind);
void glEnd(void);
void glVertex2f(float x, float y);
void glColor4f(float r, float g, float b, float a);
void glEnable(unsigned state);
void glDisable(unsigned state);
unsigned char glIsEnabled(unsigned state);

void glBegin(unsigned kind) { gl_begin(kind); }
void glEnd(void) { gl_end(); }
void glVertex2f(float x, float y) { gl_vertex(x, y); }
void glColor4f(float r, float g, float b, float a) { gl_color(r, g, b, a); }
void glEnable(unsigned state) { gl_enable(state); }
void glDisable(unsigned state) { gl_disable(state); }
unsigned char glIsEnabled(unsigned state) { return gl_is_enabled(state); }

/* The direction of y: 1 is up, -1 is down. */
static float up;
static struct { float x, y; char start[40]; } texts[2][MOST_TEXTS];
static int count;

/* Draws each letter as a box on the line y, in the current color. */
static void print_text(float x, float y, char *text)
{
    int of = up < 0;
    CHECK(count < MOST_TEXTS);
    texts[of][count].x = x, texts[of][count].y = y;
    strncpy(texts[of][count].start, text, sizeof texts[of][count].start - 1);
    count++;
    gl_disable(GL_CULL_FACE);
    gl_begin(GL_QUADS);
    for (; *text; text++, x += LETTER) {
        if (*text == ' ') continue;
        gl_vertex(x + 1, y), gl_vertex(x + 6, y), gl_vertex(x + 6, y + 9 * up), gl_vertex(x + 1, y + 9 * up);
    }
    gl_end();
    gl_enable(GL_CULL_FACE);
}

static float text_width(char *text) { return (float)(strlen(text) * LETTER); }

static unsigned char pictures[2][HEIGHT][WIDTH][4];

/* Converts a height above the window's lower edge to the host's y. */
static float y_of(float height) { return up > 0 ? height : HEIGHT - height; }

static void draw(int of, int graph)
{
    up = of ? -1 : 1;
    count = 0;
    matrix_mode(GL_PROJECTION);
    load_identity();
    if (of) ortho(0, WIDTH, HEIGHT, 0, -1, 1);
    else ortho(0, WIDTH, 0, HEIGHT, -1, 1);
    clear(GL_COLOR_BUFFER_BIT);
    /* In one of the directions, all faces are back faces, and textures would color everything. */
    gl_enable(GL_CULL_FACE);
    gl_enable(GL_TEXTURE_2D);
    if (graph) Prof_draw_graph_gl(LEFT, y_of(GRAPH), 2, 40 * up);
    else Prof_draw_gl(LEFT, y_of(TOP), 600, 300, -LINE * up, 2, print_text, text_width);
    CHECK(gl_is_enabled(GL_CULL_FACE) && gl_is_enabled(GL_TEXTURE_2D));
    read_pixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pictures[of]);
    CHECK(get_error() == 0);
}

static int is_drawn(int of, int x, int y)
{
    const unsigned char *pixel = pictures[of][y][x];
    return pixel[0] != 0 || pixel[1] != 0 || pixel[2] != 255;
}

static void report(void)
{
    int at, shown, drawn = 0, y;
    draw(0, 0);
    shown = count;
    draw(1, 0);
    CHECK(shown > 10 && count == shown);
    for (at = 0; at < count; at++) {
        CHECK(!strcmp(texts[0][at].start, texts[1][at].start));
        CHECK(texts[0][at].x == texts[1][at].x && texts[0][at].y == HEIGHT - texts[1][at].y);
        if (at) CHECK(texts[0][at].y <= texts[0][at - 1].y); /* from top to bottom */
    }
    CHECK(texts[0][0].y == TOP);
    CHECK(!memcmp(pictures[0], pictures[1], sizeof pictures[0]));
    for (y = 0; y < HEIGHT; y++)
        for (at = 0; at < WIDTH; at++) drawn += is_drawn(0, at, y);
    CHECK(drawn >= 600 * LINE * 5); /* two title lines, one header line, a zone and its caller */
    /* The first line's bar extends from its text's lower edge to one line above it, and spans the full width. */
    for (y = TOP - 2; y < TOP + LINE + 2; y++) {
        int is_bar = y >= TOP && y < TOP + LINE;
        CHECK(is_drawn(0, LEFT, y) == is_bar && is_drawn(0, LEFT + 599, y) == is_bar);
        CHECK(!is_drawn(0, LEFT - 1, y) && !is_drawn(0, LEFT + 600, y));
    }
    /* Nothing is drawn below the requested area. */
    for (y = 0; y < TOP + LINE - 300; y++)
        for (at = 0; at < WIDTH; at++) CHECK(!is_drawn(0, at, y));
}

static int frames;

static void graph(void)
{
    int x, y, drawn = 0, different = 0, below = 0;
    /* The newest frame is always drawn at the same position. */
    int newest = LEFT + 127 * 2, oldest = LEFT + (frames < 128 ? 128 - frames : 0) * 2, at_ends = 0;
    draw(0, 1);
    draw(1, 1);
    for (y = 0; y < HEIGHT; y++) {
        for (x = 0; x < WIDTH; x++) {
            drawn += is_drawn(0, x, y);
            different += is_drawn(0, x, y) != is_drawn(1, x, y);
            if (y < GRAPH - 1) below += is_drawn(0, x, y) + is_drawn(1, x, y);
            if (x < oldest - 1 || x > newest + 1) CHECK(!is_drawn(0, x, y) && !is_drawn(1, x, y));
            if (x > newest - 3 || x < oldest + 3) at_ends += is_drawn(0, x, y);
        }
    }
    CHECK(drawn > 20 && below == 0 && at_ends > 4);
    /* Heights between two pixels may be rounded either way. */
    CHECK(different * 20 <= drawn);
}

static void work(int amount)
{
    static volatile unsigned sum;
    Prof_Begin(work)
    for (; amount > 0; amount--) sum = sum + (unsigned)amount;
    Prof_End
}

static void frame(int at)
{
    Prof_Begin(step)
    work(200000 + at % 3 * 100000);
    Prof_End
    Prof_update(1);
    frames++;
}

int main(void)
{
    context_loader loader = make_context(WIDTH, HEIGHT, 2, 1);
    int at;
    if (!loader) {
        printf("no context\n");
        return 0;
    }
    *(void **)&gl_begin = loader("glBegin");
    *(void **)&gl_end = loader("glEnd");
    *(void **)&gl_vertex = loader("glVertex2f");
    *(void **)&gl_color = loader("glColor4f");
    *(void **)&gl_enable = loader("glEnable");
    *(void **)&gl_disable = loader("glDisable");
    *(void **)&gl_is_enabled = loader("glIsEnabled");
    *(void **)&clear_color = loader("glClearColor");
    *(void **)&clear = loader("glClear");
    *(void **)&matrix_mode = loader("glMatrixMode");
    *(void **)&load_identity = loader("glLoadIdentity");
    *(void **)&ortho = loader("glOrtho");
    *(void **)&read_pixels = loader("glReadPixels");
    *(void **)&get_error = loader("glGetError");
    clear_color(0, 0, 1, 1);
    for (at = 0; at < 100; at++) frame(at);
    Prof_set_report_mode(Prof_HIERARCHICAL_TIME);
    Prof_move_cursor(1);
    report();
    graph();
    for (at = 0; at < 100; at++) frame(at);
    graph();
    /* Show a frame in the past, which the graph marks. */
    Prof_set_frame(10);
    Prof_select();
    report();
    graph();
    printf("drawn\n");
    return 0;
}
