#pragma once
#include <_types.h>
#define __need_wchar_t
#include <stddef.h>
#define _CTYPE_A 0x00000100
#define _CTYPE_C 0x00000200
#define _CTYPE_D 0x00000400
#define _CTYPE_G 0x00000800
#define _CTYPE_L 0x00001000
#define _CTYPE_P 0x00002000
#define _CTYPE_S 0x00004000
#define _CTYPE_U 0x00008000
#define _CTYPE_X 0x00010000
#define _CTYPE_B 0x00020000
#define _CTYPE_R 0x00040000
__BEGIN_DECLS
int isalnum(int);
int isalpha(int);
int isblank(int);
int iscntrl(int);
int isdigit(int);
int isgraph(int);
int islower(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);
__END_DECLS
