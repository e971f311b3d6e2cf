/* Which of Apple's systems is compiled for. */
#pragma once
#undef TARGET_OS_MAC
#define TARGET_OS_MAC 1
#undef TARGET_OS_IPHONE
#undef TARGET_OS_IOS
#undef TARGET_OS_OSX
#undef TARGET_OS_SIMULATOR
#if defined(__ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__)
#define TARGET_OS_IPHONE 1
#define TARGET_OS_IOS    1
#define TARGET_OS_OSX    0
#else
#define TARGET_OS_IPHONE 0
#define TARGET_OS_IOS    0
#define TARGET_OS_OSX    1
#endif
#if defined(__APPLE_EMBEDDED_SIMULATOR__)
#define TARGET_OS_SIMULATOR 1
#else
#define TARGET_OS_SIMULATOR 0
#endif
