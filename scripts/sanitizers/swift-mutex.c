// SPDX-License-Identifier: Apache-2.0
// Tells the thread sanitizer what Swift's Mutex does when two threads want it at once.
//
// The quick way through a Mutex is compiled into its users, which the sanitizer sees. The slow way is a function of
// libswiftSynchronization, which is not compiled for the sanitizer: what one thread wrote before it gave the Mutex up
// and another read after it got it would count as a race. Loaded before that library (LD_PRELOAD), these functions
// call its own, and say that the release comes before the acquisition. Real races stay visible.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// There in programs that are compiled for the sanitizer; others are started with this library, too.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);

typedef SWIFT void (*lock_function)(uint32_t thread, SELF);
typedef SWIFT void (*unlock_function)(SELF);
typedef SWIFT bool (*try_lock_function)(SELF);

SWIFT void lock_slow(uint32_t thread, SELF) {
    ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(self);
}

SWIFT bool try_lock_slow(SELF) {
    bool isTaken = ((try_lock_function)dlsym(RTLD_NEXT, TRY_LOCK))(self);
    if (isTaken && __tsan_acquire) __tsan_acquire(self);
    return isTaken;
}
