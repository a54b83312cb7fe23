// A C++ program written for the original IProf, with prof.h and its macros. GLUT draws the text. y points up, as in
// OpenGL.
//
//     c++ -O2 -DProf_ENABLED original.cpp -o original $(pkg-config --cflags --libs iprof-static glut gl)
#include <GL/freeglut.h>

#include "host.h"
#include "prof.h"

static struct options options;
static int frame;

static void print_text(float x, float y, char *text)
{
    // Draws text at the baseline of a 16 px line.
    glRasterPos2f(x, y + 4);
    for (; *text; text++) glutBitmapCharacter(GLUT_BITMAP_HELVETICA_12, *text);
}

static float text_width(char *text)
{
    float width = 0;
    for (; *text; text++) width += static_cast<float>(glutBitmapWidth(GLUT_BITMAP_HELVETICA_12, *text));
    return width;
}

static void draw_dial()
{
    Prof(draw_dial);
    glBegin(GL_TRIANGLES);
    for (int spoke = 0; spoke < SPOKES; spoke++) {
        Prof(spoke);
        draw_spoke(spoke, frame);
    }
    glEnd();
}

static void display()
{
    glViewport(0, 0, WIDTH, HEIGHT);
    glClearColor(0.1f, 0.1f, 0.15f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    draw_dial();
    bool is_last = options.frames && frame + 1 >= options.frames;
    Prof_update(1);
    if (options.overlay) {
        glMatrixMode(GL_PROJECTION);
        glPushMatrix();
        glOrtho(0, WIDTH, 0, HEIGHT, -1, 1);
        Prof_draw_gl(20, HEIGHT - 40, 600, 310, -16, 2, print_text, text_width);
        // The first frames' bars may be higher than the graph.
        glEnable(GL_SCISSOR_TEST);
        glScissor(20, 30, 600, 190);
        Prof_draw_graph_gl(20, 32, 2, 4);
        glDisable(GL_SCISSOR_TEST);
        glPopMatrix();
    }
    if (is_last && options.shot) save(options.shot);
    glutSwapBuffers();
    frame++;
    if (is_last) glutLeaveMainLoop();
}

static void key(int key, int, int)
{
    if (key == GLUT_KEY_UP) Prof_move_cursor(-1);
    if (key == GLUT_KEY_DOWN) Prof_move_cursor(1);
    if (key == GLUT_KEY_RIGHT) Prof_select();
    if (key == GLUT_KEY_LEFT) Prof_select_parent();
}

int main(int argc, char **argv)
{
    glutInit(&argc, argv);
    options = options_of(argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGBA);
    glutInitWindowSize(WIDTH, HEIGHT);
    glutCreateWindow("iprof for the original's programs");
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutSpecialFunc(key);
    glutMainLoop();
}
