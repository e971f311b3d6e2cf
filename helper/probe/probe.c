#include "probe/probe.h"

void loupe_probe(struct loupe_self *self, struct loupe_memory *memory,
                 const struct loupe_chunk_ops *chunks, loupe_addr address, struct loupe_sink sink) {
    struct loupe_json json;
    struct loupe_error err;
    struct loupe_target target;
    struct loupe_object object;
    loupe_json_init(&json, sink);
    loupe_target_init(&target, memory, chunks);
    enum loupe_status status = loupe_abi_detect(&target, &err);
    if (!status)
        status = loupe_object_at(&target, address, &object, &err);
    struct loupe_envelope envelope = {.query = "dispose-probe",
                                      .engine = "helper",
                                      .abi = target.abi ? target.abi->name : NULL,
                                      .pointer_size = memory->machine.pointer_size};
    if (!status)
        status = loupe_object_kind(&object) == LOUPE_NODE_BLOCK
                     ? loupe_probe_block(self, &target, address, &json, &envelope, &err)
                     : loupe_probe_ivars(self, &target, &object, &json, &envelope, &err);
    if (status)
        loupe_report_error(&json, &envelope, &err);
    loupe_json_finish(&json);
    loupe_target_deinit(&target);
}
