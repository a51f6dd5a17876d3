// JSON for Swift: nlohmann's parser for messages (exact places of faults, order kept, numbers as
// written), simdjson for well-formedness at speed.
#ifndef PUSHBENCH_CJSON_H
#define PUSHBENCH_CJSON_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
