#pragma once
typedef int pid_t;
pid_t getpid(void);
typedef __SIZE_TYPE__ size_t;
typedef __INTPTR_TYPE__ ssize_t;
ssize_t write(int file, const void *bytes, size_t size);
int close(int file);
int unlink(const char *path);
