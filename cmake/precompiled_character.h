// And those of whatever deals with characters.
#include "precompiled.h"
#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/character.h"
