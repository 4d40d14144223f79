// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
