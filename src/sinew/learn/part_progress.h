// Progress of a step as a stretch of the whole call's: partProgress.
#pragma once

#include "sinew/base/progress.h"
