/*
 * region_map.h - which memory of a process is readable, asked of LLDB as the need arises.
 *
 * A list of all regions costs a round trip for each, thousands in an app on a phone; a question
 * meets a few of them. Of a process on this machine the kernel tells all at once (Linux), for less
 * than one round trip, and gives what stands there. What was asked is kept while the process stands
 * still, expressions included: they may map memory. The bytes of the target are not kept here: LLDB
 * does that, and it knows when somebody wrote to them.
 */
#ifndef LOUPE_PLUGIN_REGION_MAP_H
#define LOUPE_PLUGIN_REGION_MAP_H

#include <lldb/API/LLDB.h>

#include <vector>

#ifdef __linux__
extern "C" {
#include "process/page_map.h"
}
#endif

namespace loupe {

class RegionMap {
  public:
    RegionMap() = default;
    RegionMap(const RegionMap &) = delete;
    RegionMap &operator=(const RegionMap &) = delete;
    ~RegionMap() {
        ForgetPages();
    }

    struct Region {
        lldb::addr_t start, end;
        bool readable;
    };

    /* Another question begins: forgets what is known if this is another process than before, if it
     * ran since, or if it is here, where all is soon listed anew. */
    void Follow(lldb::SBProcess process);

    /*
     * The readable memory around an address of [start, end), joined from all regions that it has
     * in there, or the gap that the address is in. nullptr: this LLDB or its server cannot tell.
     * Valid until the next call.
     */
    const Region *Cover(lldb::addr_t start, lldb::addr_t end, lldb::addr_t addr);

#ifdef __linux__
    /* What stands where no page is, so that a look does not make one (process/page_map.h). nullptr:
     * the process is a core, or on another machine. */
    struct loupe_page_map *Pages();
    /* Memory of a process on this machine, from the kernel, which takes no round trip. False: LLDB
     * has to read it, as code, where its server knows what stands behind the breakpoints. */
    bool ReadHere(lldb::addr_t addr, void *dst, size_t len);
#endif

  private:
    void ForgetPages();
    /* All regions at once, if anybody tells. */
    void List();
    void ListOnce();
    bool IsListedHere() const;
#ifdef __linux__
    bool IsHere();
#endif
    const Region *Find(lldb::addr_t addr);
    const Region *Insert(Region region, size_t at);
    bool JoinWithNext(size_t at);

    lldb::SBProcess process_;
    uint32_t process_id_ = 0, stop_id_ = 0;
    std::vector<Region> regions_; /* by address */
    bool listed_ = false;
#ifdef __linux__
    uint32_t looked_for_ = 0; /* the process of which is_here_ was found out */
    bool is_here_ = false;
    bool pages_asked_ = false;
    struct loupe_page_map *pages_ = nullptr;
    std::vector<Region> code_; /* by address; all that can be executed, if it is listed */
    bool code_listed_ = false;
#endif
};

} // namespace loupe

#endif
