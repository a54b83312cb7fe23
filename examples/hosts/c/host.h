/* Code shared by the C and C++ hosts: options, a picture to draw, and saving the last frame. */
#ifndef HOST_H
#define HOST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1280
#define HEIGHT 720
#define SPOKES 600

struct options {
    int frames; /* 0: until the window is closed */
    const char *shot;
    bool overlay;
};

static inline struct options options_of(int argc, char **argv)
{
    struct options options = {0, NULL, true};
    int at;
    for (at = 1; at < argc; at++) {
        if (!strcmp(argv[at], "--frames") && at + 1 < argc) options.frames = atoi(argv[++at]);
        else if (!strcmp(argv[at], "--shot") && at + 1 < argc) options.shot = argv[++at];
        else if (!strcmp(argv[at], "--no-overlay")) options.overlay = false;
        else fprintf(stderr, "options: [--frames N [--shot FILE.ppm]] [--no-overlay]\n"), exit(2);
    }
    return options;
}

/* Draws one spoke of a rotating dial. */
static inline void draw_spoke(int spoke, int frame)
{
    float angle = (float)spoke / SPOKES * 6.2831853f + 0.01f * (float)frame, next = angle + 6.2831853f / SPOKES;
    glColor4f((float)spoke / SPOKES, 0.5f + 0.5f * sinf(angle * 3), 0.5f, 1);
    glVertex2f(0, 0);
    glVertex2f(cosf(angle) * HEIGHT / (float)WIDTH, sinf(angle));
    glVertex2f(cosf(next) * HEIGHT / (float)WIDTH, sinf(next));
}

/* Writes the current frame to a PPM file. */
static inline void save(const char *path)
{
    unsigned char *pixels = (unsigned char *)malloc(3 * WIDTH * HEIGHT);
    FILE *file = fopen(path, "wb");
    int y;
    if (!pixels || !file) fprintf(stderr, "cannot write %s\n", path), exit(1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (y = HEIGHT; y-- > 0;) fwrite(pixels + 3 * WIDTH * y, 3, WIDTH, file);
    if (fclose(file)) exit(1);
    free(pixels);
}

#endif
