// Everything of the library in one include.
#pragma once

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/progress.h"
#include "sinew/base/types.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/character/correspondence.h"
#include "sinew/character/example_set.h"
#include "sinew/character/mirror.h"
#include "sinew/character/validate.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/poses.h"
#include "sinew/learn/bind.h"
#include "sinew/samples/samples.h"
