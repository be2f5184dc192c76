// Additional headers for modules that use characters.
#include "precompiled.h"
#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/character.h"
