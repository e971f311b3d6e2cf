#pragma once
typedef int pid_t;
pid_t getpid(void);
