#include "target_reader.h"

#include <algorithm>
#include <cstring>

namespace loupe {

namespace {

constexpr unsigned kAnyAddressMask = 2; /* eAddressMaskTypeAny */
/* A walk gets a progress bar when it proves long, in time or in checks for interruption. */
constexpr auto kProgressAfter = std::chrono::seconds(1);
constexpr unsigned kChecksBeforeProgress = 64;
constexpr int kMostImages = 4096; /* of the loader's list; a longer one is not believed */

loupe_arch ArchOf(lldb::SBTarget target) {
    const char *triple = target.GetTriple();
    if (!triple)
        return LOUPE_ARCH_UNKNOWN;
    if (std::strncmp(triple, "x86_64", 6) == 0)
        return LOUPE_ARCH_X86_64;
    bool is_arm64 =
        std::strncmp(triple, "arm64", 5) == 0 || std::strncmp(triple, "aarch64", 7) == 0;
    return is_arm64 ? LOUPE_ARCH_ARM64 : LOUPE_ARCH_OTHER;
}

/*
 * An arm64 user address of an Apple system without its signature: 47 bits, the rest as bit 55 has
 * it.
 */
loupe_addr StripAppleArm64(loupe_addr addr) {
    constexpr loupe_addr low_bits = (loupe_addr{1} << 47) - 1;
    return addr & (loupe_addr{1} << 55) ? addr | ~low_bits : addr & low_bits;
}

bool IsApple(lldb::SBTarget target) {
    const char *triple = target.GetTriple();
    return triple && std::strstr(triple, "-apple-");
}

bool IsCore(lldb::SBProcess process) {
    const char *plugin = process.GetPluginName();
    return plugin && (std::strstr(plugin, "core") || std::strcmp(plugin, "minidump") == 0);
}

constexpr lldb::addr_t PageStart(lldb::addr_t addr) {
    return addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
}

} // namespace

TargetReader::TargetReader(lldb::SBDebugger debugger, lldb::SBProcess process, RegionMap &regions,
                           const NewerApi &api)
    : debugger_(debugger), process_(process), target_(process.GetTarget()), parts_(process),
      regions_(regions), api_(api), arch_(ArchOf(target_)), is_apple_(IsApple(target_)),
      is_core_(IsCore(process)), started_(std::chrono::steady_clock::now()) {}

struct loupe_machine TargetReader::Machine() {
    struct loupe_machine machine;
    machine.pointer_size = target_.GetAddressByteSize() == 4 ? 4 : 8;
    machine.arch = machine.pointer_size == 8 ? arch_ : LOUPE_ARCH_OTHER;
    machine.no_red_zone = arch_ == LOUPE_ARCH_ARM64 && !is_apple_;
    return machine;
}

/* ---- Memory ---- */

/*
 * Asks about all of the piece, in which images often have several regions side by side: then one
 * read gets them. Where nothing is known (some remote stubs) every address is worth a try.
 */
bool TargetReader::FindRegion(loupe_addr addr, loupe_addr *start, loupe_addr *end) {
    loupe_addr piece = addr / LOUPE_PIECE_SIZE * LOUPE_PIECE_SIZE;
    const RegionMap::Region *region = regions_.Cover(piece, piece + LOUPE_PIECE_SIZE, addr);
    if (!region) {
        *start = piece;
        *end = piece + LOUPE_PIECE_SIZE;
    } else if (region->readable) {
        *start = region->start;
        *end = region->end;
    } else if (const FileRange *range = FindFileRange(addr)) {
        *start = range->start_page;
        *end = range->end_page;
    } else {
        return false;
    }
    return true;
}

loupe_status TargetReader::ReadPresent(loupe_addr addr, void *dst, size_t len) {
    lldb::SBError error;
    size_t got = process_.ReadMemory(addr, dst, len, error);
    bool whole = error.Success() && got == len;
    return whole || ReadFromFile(addr, dst, len) ? LOUPE_OK : LOUPE_EFAULT;
}

#ifdef __linux__

loupe_status TargetReader::Read(loupe_addr addr, void *dst, size_t len) {
    struct loupe_page_map *pages = regions_.Pages();
    if (!pages)
        return ReadPresent(addr, dst, len);
    return loupe_page_map_read(
        pages, addr, dst, len,
        [](void *ctx, loupe_addr at, void *to, size_t size) {
            auto *reader = static_cast<TargetReader *>(ctx);
            return reader->regions_.ReadHere(at, to, size) ? LOUPE_OK
                                                           : reader->ReadPresent(at, to, size);
        },
        this);
}

loupe_addr TargetReader::Zeroes(loupe_addr addr) {
    struct loupe_page_map *pages = regions_.Pages();
    return pages ? loupe_page_map_zeroes(pages, addr) : addr;
}

loupe_status TargetReader::VisitUnread(loupe_unread_visit visit, void *visitor) {
    struct loupe_page_map *pages = regions_.Pages();
    return pages ? loupe_page_map_visit_unread(pages, visit, visitor) : LOUPE_OK;
}

#else

loupe_status TargetReader::Read(loupe_addr addr, void *dst, size_t len) {
    return ReadPresent(addr, dst, len);
}

loupe_addr TargetReader::Zeroes(loupe_addr addr) {
    return addr;
}

loupe_status TargetReader::VisitUnread(loupe_unread_visit, void *) {
    return LOUPE_OK;
}

#endif

/* ---- What a core file leaves to the files of its modules ---- */

void TargetReader::ListFileRanges() {
    file_ranges_listed_ = true;
    for (uint32_t m = 0; m < target_.GetNumModules(); m++) {
        lldb::SBModule module = target_.GetModuleAtIndex(m);
        for (size_t s = 0; s < module.GetNumSections(); s++) {
            lldb::SBSection section = module.GetSectionAtIndex(s);
            lldb::addr_t start = section.GetLoadAddress(target_);
            uint64_t size = section.GetFileByteSize();
            if (start == LLDB_INVALID_ADDRESS || size == 0 ||
                (section.GetPermissions() & lldb::ePermissionsWritable))
                continue;
            file_ranges_.push_back(
                {PageStart(start), PageStart(start + size - 1) + LOUPE_PAGE_SIZE, start, section});
        }
    }
}

TargetReader::FileRange *TargetReader::FindFileRange(loupe_addr addr) {
    if (!is_core_)
        return nullptr;
    if (!file_ranges_listed_)
        ListFileRanges();
    for (FileRange &range : file_ranges_) {
        if (addr >= range.start_page && addr < range.end_page)
            return &range;
    }
    return nullptr;
}

/*
 * Cores often leave out what the executable's file holds: code and constants. The rest of a
 * segment's first and last page, which nothing in the program refers to, reads as zero.
 */
bool TargetReader::ReadFromFile(loupe_addr addr, void *dst, size_t len) {
    FileRange *range = FindFileRange(addr);
    if (!range || addr + len > range->end_page)
        return false;
    std::memset(dst, 0, len);
    lldb::addr_t from = std::max(addr, range->start);
    lldb::addr_t to = std::min(addr + len, range->start + range->section.GetFileByteSize());
    if (from >= to)
        return true;
    lldb::SBError error;
    lldb::SBData data = range->section.GetSectionData(from - range->start, to - from);
    size_t got = data.ReadRawData(error, 0, static_cast<uint8_t *>(dst) + (from - addr), to - from);
    return error.Success() && got == to - from;
}

/* ---- Symbols ---- */

/* The symbol that the program itself uses is that of the first image in the loader's list. LLDB
 * loads images in parallel (since version 18), so the order of its own list differs from run to
 * run. */
lldb::addr_t TargetReader::FirstLoaded(const std::vector<lldb::SBAddress> &symbols) {
    lldb::SBSymbolContextList lists = target_.FindSymbols("_r_debug");
    lldb::SBAddress list = lists.GetContextAtIndex(0).GetSymbol().GetStartAddress();
    const uint32_t word = target_.GetAddressByteSize();
    lldb::SBError error;
    lldb::addr_t image = process_.ReadPointerFromMemory(list.GetLoadAddress(target_) + word, error);
    for (int i = 0; i < kMostImages && image && error.Success(); i++) {
        /* struct link_map: where it was loaded, its name, its dynamic section, the next one. */
        lldb::addr_t inside = process_.ReadPointerFromMemory(image + 2 * word, error);
        lldb::SBModule module = target_.ResolveLoadAddress(inside).GetModule();
        for (lldb::SBAddress symbol : symbols)
            if (error.Success() && module.IsValid() && symbol.GetModule() == module)
                return symbol.GetLoadAddress(target_);
        if (error.Success())
            image = process_.ReadPointerFromMemory(image + 3 * word, error);
    }
    lldb::SBAddress first = symbols.front();
    return first.GetLoadAddress(target_);
}

loupe_status TargetReader::FindSymbol(const char *name, loupe_addr *ret) {
    lldb::SBSymbolContextList found = target_.FindSymbols(name);
    std::vector<lldb::SBAddress> symbols;
    for (uint32_t i = 0; i < found.GetSize(); i++) {
        lldb::SBSymbol symbol = found.GetContextAtIndex(i).GetSymbol();
        lldb::SBAddress start = symbol.GetStartAddress();
        if (start.GetLoadAddress(target_) != LLDB_INVALID_ADDRESS &&
            symbol.GetType() != lldb::eSymbolTypeUndefined)
            symbols.push_back(start);
    }
    if (symbols.empty())
        return LOUPE_EFAULT;
    *ret = symbols.size() == 1 ? symbols[0].GetLoadAddress(target_) : FirstLoaded(symbols);
    return LOUPE_OK;
}

loupe_status TargetReader::NameAddress(loupe_addr addr, char *dst, size_t cap, uint64_t *offset) {
    lldb::SBSymbol symbol = target_.ResolveLoadAddress(addr).GetSymbol();
    lldb::addr_t start = symbol.GetStartAddress().GetLoadAddress(target_);
    const char *name = symbol.GetMangledName() ? symbol.GetMangledName() : symbol.GetName();
    if (!symbol.IsValid() || !name || start == LLDB_INVALID_ADDRESS || start > addr)
        return LOUPE_EFAULT;
    loupe_format(dst, cap, "%s", name);
    *offset = addr - start;
    return LOUPE_OK;
}

bool TargetReader::LineOfAddress(loupe_addr addr, char *path, size_t cap, uint32_t *line) {
    lldb::SBLineEntry entry = target_.ResolveLoadAddress(addr).GetLineEntry();
    lldb::SBFileSpec file = entry.GetFileSpec();
    const char *folder = file.GetDirectory(), *name = file.GetFilename();
    if (!entry.IsValid() || !entry.GetLine() || !name)
        return false;
    loupe_format(path, cap, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    *line = entry.GetLine();
    return true;
}

/* ---- The rest ---- */

/* LLDB knows the masks of a live process; of a core only if the core says them. */
loupe_addr TargetReader::Strip(loupe_addr addr) {
    if (arch_ != LOUPE_ARCH_ARM64)
        return addr;
    if (api_.fix_address)
        addr = api_.fix_address(&process_, addr, kAnyAddressMask);
    return is_apple_ ? StripAppleArm64(addr) : addr;
}

uint64_t TargetReader::Microseconds() const {
    using namespace std::chrono;
    return static_cast<uint64_t>(
        duration_cast<microseconds>(steady_clock::now() - started_).count());
}

/* Called now and then during a walk, which makes it the place for the progress bar too. */
bool TargetReader::Interrupted() {
    auto elapsed = std::chrono::steady_clock::now() - started_;
    bool is_long = ++checks_ > kChecksBeforeProgress || elapsed > kProgressAfter;
    if (is_long && !progress_.Started())
        progress_.Start(api_, debugger_);
    progress_.Tick();
    return api_.interrupt_requested ? api_.interrupt_requested(&debugger_)
                                    : debugger_.GetCommandInterpreter().WasInterrupted();
}

namespace {

ProcessParts &PartsOf(void *ctx) {
    return static_cast<TargetReader *>(ctx)->Parts();
}

const struct loupe_process_ops kProcessOps = {
    /* regions */ [](void *ctx, loupe_region_visit visit, void *visitor) {
        return PartsOf(ctx).Regions(visit, visitor);
    },
    /* images */
    [](void *ctx, loupe_image_visit visit, void *visitor) {
        return PartsOf(ctx).Images(visit, visitor);
    },
    /* sections */
    [](void *ctx, uint32_t image, loupe_section_part_visit visit, void *visitor) {
        return PartsOf(ctx).Sections(image, visit, visitor);
    },
    /* threads */
    [](void *ctx, loupe_thread_visit visit, void *visitor) {
        return PartsOf(ctx).Threads(visit, visitor);
    },
    /* thread_register */
    [](void *ctx, uint32_t thread, const char *name, uint64_t *ret) {
        return PartsOf(ctx).Register(thread, name, ret);
    },
    /* frames_end */
    [](void *ctx, uint32_t thread) { return PartsOf(ctx).FramesEnd(thread); },
    /* frames: of a debugger LLDB unwinds, which its commands ask */ nullptr,
    /* kernel_words: the process may be on another machine */ nullptr,
    /* zones */ nullptr,
    /* unread */
    [](void *ctx, loupe_unread_visit visit, void *visitor) {
        return static_cast<TargetReader *>(ctx)->VisitUnread(visit, visitor);
    },
    /* paused: it stands at somebody's stop */ nullptr,
};

} // namespace

const struct loupe_reader_ops *TargetReader::Ops() {
    static const struct loupe_reader_ops ops = {
        /* read */ [](void *ctx, loupe_addr addr, void *dst, size_t len) {
            return static_cast<TargetReader *>(ctx)->Read(addr, dst, len);
        },
        /* window */ nullptr,
        /* region */
        [](void *ctx, loupe_addr addr, loupe_addr *start, loupe_addr *end) {
            return static_cast<TargetReader *>(ctx)->FindRegion(addr, start, end);
        },
        /* find_symbol */
        [](void *ctx, const char *name, loupe_addr *ret) {
            return static_cast<TargetReader *>(ctx)->FindSymbol(name, ret);
        },
        /* name_address */
        [](void *ctx, loupe_addr addr, char *dst, size_t cap, uint64_t *offset) {
            return static_cast<TargetReader *>(ctx)->NameAddress(addr, dst, cap, offset);
        },
        /* line_of_address */
        [](void *ctx, loupe_addr addr, char *path, size_t cap, uint32_t *line) {
            return static_cast<TargetReader *>(ctx)->LineOfAddress(addr, path, cap, line);
        },
        /* line_of_ivar: the commands look it up, for every engine */ nullptr,
        /* strip */
        [](void *ctx, loupe_addr addr) { return static_cast<TargetReader *>(ctx)->Strip(addr); },
        /* interrupted */ [](void *ctx) { return static_cast<TargetReader *>(ctx)->Interrupted(); },
        /* microseconds */
        [](void *ctx) { return static_cast<const TargetReader *>(ctx)->Microseconds(); },
        /* process */ &kProcessOps,
        /* zeroes */
        [](void *ctx, loupe_addr addr) { return static_cast<TargetReader *>(ctx)->Zeroes(addr); },
        /* calls_are_cheap */ false,
    };
    return &ops;
}

} // namespace loupe
