#include "CoreLocationSubmodules.h"
