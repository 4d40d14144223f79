// SPDX-License-Identifier: Apache-2.0
#pragma once
// The checking macros would hide the functions that the shims below wrap.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <malloc.h>

// curl_easy_setopt is variadic, which Swift cannot call: one shim for each type of argument.
static inline CURLcode fl_setopt_long(CURL *_Nonnull easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode fl_setopt_off(CURL *_Nonnull easy, CURLoption option, long long value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}
static inline CURLcode fl_setopt_string(CURL *_Nonnull easy, CURLoption option, const char *_Nonnull value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode fl_setopt_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode fl_setopt_read(CURL *_Nonnull easy, curl_read_callback _Nonnull callback) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, callback);
}
static inline CURLcode fl_setopt_seek(CURL *_Nonnull easy, curl_seek_callback _Nonnull callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}
static inline CURLcode fl_setopt_write(CURL *_Nonnull easy, curl_write_callback _Nonnull callback) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
}
// The header callback has the shape of a write callback.
static inline CURLcode fl_setopt_header(CURL *_Nonnull easy, curl_write_callback _Nonnull callback) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
}

// curl_easy_getinfo is variadic; -1 stands for "not known".
static inline long long fl_getinfo_off(CURL *_Nonnull easy, CURLINFO info) {
    curl_off_t value = -1;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? (long long)value : -1;
}
static inline long fl_getinfo_long(CURL *_Nonnull easy, CURLINFO info) {
    long value = -1;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : -1;
}

// curl_multi_setopt is variadic.
static inline CURLMcode fl_multi_setopt_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The result lies in a union and the handle is a void pointer; the message must not outlive the next multi call.
static inline CURL *_Nullable fl_multi_next_done(CURLM *_Nonnull multi, CURLcode *_Nonnull result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

// CURL_GLOBAL_DEFAULT is an expression macro that does not import.
static inline CURLcode fl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

// libcurl takes a new buffer of 272 KB for each upload and frees it afterwards. Left to itself the allocator hands such
// memory back to the system, which clears a new page for every 4 KB of the next picture.
static inline void fl_keep_upload_buffers(void) {
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

// These are macros or enumerators of mixed signedness; as functions they have the type that Swift returns.
static inline size_t fl_read_abort(void) { return CURL_READFUNC_ABORT; }
static inline size_t fl_read_pause(void) { return CURL_READFUNC_PAUSE; }
static inline int fl_seek_ok(void) { return CURL_SEEKFUNC_OK; }
static inline int fl_seek_fail(void) { return CURL_SEEKFUNC_FAIL; }
static inline long fl_http_1_1(void) { return CURL_HTTP_VERSION_1_1; }
