/*
 * snapshot_file.h - the file that a snapshot is written to: there in the end, or not at all.
 */
#ifndef LOUPE_PLUGIN_SNAPSHOT_FILE_H
#define LOUPE_PLUGIN_SNAPSHOT_FILE_H

#include <cstdio>
#include <string>

extern "C" {
#include "base/json.h"
}

namespace loupe {

class SnapshotFile {
  public:
    /* Made with the first byte that is written, beside the file of that path. */
    explicit SnapshotFile(const std::string &path);
    /* Removes what was not kept. */
    ~SnapshotFile();
    SnapshotFile(const SnapshotFile &) = delete;
    SnapshotFile &operator=(const SnapshotFile &) = delete;

    struct loupe_sink Sink();
    /* All is written: puts it, if anything, in the place of the file. Another one may follow.
     * False: that cannot be done. */
    bool Keep();

  private:
    static enum loupe_status Write(void *ctx, const char *bytes, size_t len);

    const std::string path_;
    std::string part_;
    std::FILE *file_ = nullptr;
};

} // namespace loupe

#endif
