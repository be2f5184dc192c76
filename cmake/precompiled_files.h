// Additional headers for code that reads and writes files.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "precompiled_character.h"
