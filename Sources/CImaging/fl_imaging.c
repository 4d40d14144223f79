// SPDX-License-Identifier: Apache-2.0
#include "fl_imaging.h"
