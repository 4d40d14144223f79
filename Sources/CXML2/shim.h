// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <libxml/parser.h>
#include <libxml/xpath.h>
