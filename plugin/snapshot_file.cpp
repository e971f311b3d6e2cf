#include "snapshot_file.h"

extern "C" {
#include "shared/new_file.h"
}

namespace loupe {

SnapshotFile::SnapshotFile(const std::string &path)
    : path_(path), part_(path.size() + NEW_FILE_ENDING, '\0') {}

SnapshotFile::~SnapshotFile() {
    if (!file_)
        return;
    std::fclose(file_);
    std::remove(part_.c_str());
}

enum loupe_status SnapshotFile::Write(void *ctx, const char *bytes, size_t len) {
    auto *self = static_cast<SnapshotFile *>(ctx);
    if (!self->file_)
        self->file_ = new_file_beside(self->path_.c_str(), self->part_.data());
    bool written = self->file_ && std::fwrite(bytes, 1, len, self->file_) == len;
    return written ? LOUPE_OK : LOUPE_EUSAGE;
}

struct loupe_sink SnapshotFile::Sink() {
    return {Write, this};
}

bool SnapshotFile::Keep() {
    if (!file_)
        return true;
    bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (closed && std::rename(part_.c_str(), path_.c_str()) == 0)
        return true;
    std::remove(part_.c_str());
    return false;
}

} // namespace loupe
