#pragma once
#include <sys/cdefs.h>
typedef struct __nl_cat_d *nl_catd;
#define NL_CAT_LOCALE 1
__BEGIN_DECLS
int catclose(nl_catd);
char *catgets(nl_catd, int, int, const char *) __attribute__((__format_arg__(4)));
nl_catd catopen(const char *, int);
__END_DECLS
