// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <libxml/xmlversion.h>
// Without this the headers bring in those of the system's ICU, whose types clash with the ICU that Swift's Foundation
// carries as soon as both are seen in one build. Only the inside of a structure that is never touched here depends on it.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/xpath.h>
