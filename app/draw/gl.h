// The one place that includes OpenGL: 3.3 core, functions exported by libOpenGL.
#pragma once

#ifndef GL_GLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES 1
#endif

#include <GL/glcorearb.h>
