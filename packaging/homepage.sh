#!/bin/sh
# Where the project is on the web, as the clone's own remote says it: https://host/owner/name. Nothing
# where the remote is a folder or there is none. Names and passwords of whoever cloned are left out.
cd "$(dirname "$0")/.." || exit 1
[ -e .git ] || exit 0
git remote get-url origin 2>/dev/null |
    sed -E -e 's,^git@([^:/]+):,https://\1/,' -e 's,^(ssh|https)://([^@/]*@)?,https://,' -e 's,/$,,' -e 's,\.git$,,' |
    grep -E '^https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]+)?/[A-Za-z0-9._~/-]+$' || :
