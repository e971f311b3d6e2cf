/* GNUstep asks for it where a compiler has blocks; GCC's runtime has none, but libBlocksRuntime. */
#include <Block.h>
