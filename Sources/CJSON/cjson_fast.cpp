#include "cjson.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace {

// A thread's parser with a buffer that has the padding simdjson reads into.
struct Scratch {
    simdjson::dom::parser parser;
    std::unique_ptr<char[]> buffer;
    size_t capacity = 0;
    // What the slow path found, kept for the texts its members point to.
    cps_json_document *slow = nullptr;

    ~Scratch() { cps_json_free(slow); }

    // Copies the bytes behind padding of its own and parses them.
    simdjson::error_code parse(const void *bytes, size_t length, simdjson::dom::element &root) {
        if (length > capacity || buffer == nullptr) {
            size_t wanted = std::max<size_t>(capacity, 8192);
            while (wanted < length) wanted *= 2;
            std::unique_ptr<char[]> larger(
                new (std::nothrow) char[wanted + simdjson::SIMDJSON_PADDING]);
            if (larger == nullptr) return simdjson::MEMALLOC;
            if (const auto error = parser.allocate(wanted)) return error;
            if (const auto error = parser.doc.allocate(wanted)) return error;
            buffer = std::move(larger);
            capacity = wanted;
        }
        if (length > 0) std::memcpy(buffer.get(), bytes, length);
        std::memset(buffer.get() + length, 0, simdjson::SIMDJSON_PADDING);
        return parser.parse(buffer.get(), length, false).get(root);
    }
};

thread_local Scratch scratch;

// simdjson takes a number that fits no 64-bit type as a fault; RFC 8259 has no such limit.
bool may_be_number_range(simdjson::error_code error) { return error == simdjson::NUMBER_ERROR; }

bool parse_slowly(const void *bytes, size_t length) {
    cps_json_free(scratch.slow);
    scratch.slow = cps_json_parse(bytes, length);
    if (scratch.slow == nullptr) return false;
    for (size_t index = 0; index < cps_json_fault_count(scratch.slow); index++) {
        if (cps_json_fault_at(scratch.slow, index).kind != CPS_JSON_FAULT_DUPLICATE_KEY)
            return false;
    }
    return true;
}

cps_json_member *find(
    std::string_view key, const cps_json_name *names, size_t count, cps_json_member *members) {
    for (size_t index = 0; index < count; index++) {
        if (key == std::string_view(names[index].text, names[index].length)) {
            if (members[index].kind != CPS_JSON_MEMBER_ABSENT) {
                members[index].is_repeated = true;
                return nullptr;
            }
            return &members[index];
        }
    }
    return nullptr;
}

void read(simdjson::dom::element value, cps_json_member &member) {
    switch (value.type()) {
    case simdjson::dom::element_type::NULL_VALUE: member.kind = CPS_JSON_MEMBER_NULL; break;
    case simdjson::dom::element_type::STRING: {
        std::string_view text;
        if (value.get(text) != simdjson::SUCCESS) break;
        member.kind = CPS_JSON_MEMBER_STRING;
        member.text = text.data();
        member.length = text.size();
        break;
    }
    case simdjson::dom::element_type::INT64:
        if (value.get(member.integer) == simdjson::SUCCESS) member.kind = CPS_JSON_MEMBER_INTEGER;
        break;
    // simdjson makes an unsigned of what does not fit a signed integer only.
    case simdjson::dom::element_type::UINT64: member.kind = CPS_JSON_MEMBER_BIG_INTEGER; break;
    case simdjson::dom::element_type::DOUBLE:
        if (value.get(member.number) == simdjson::SUCCESS) member.kind = CPS_JSON_MEMBER_DOUBLE;
        break;
    default: member.kind = CPS_JSON_MEMBER_OTHER; break;
    }
}

void read(const cps_json_node &node, cps_json_member &member) {
    switch (node.kind) {
    case CPS_JSON_NODE_NULL: member.kind = CPS_JSON_MEMBER_NULL; break;
    case CPS_JSON_NODE_STRING:
        member.kind = CPS_JSON_MEMBER_STRING;
        member.text = node.text;
        member.length = node.length;
        break;
    case CPS_JSON_NODE_INTEGER:
        member.kind = CPS_JSON_MEMBER_INTEGER;
        member.integer = node.value.integer;
        break;
    case CPS_JSON_NODE_DOUBLE:
        member.kind = CPS_JSON_MEMBER_DOUBLE;
        member.number = node.value.number;
        break;
    case CPS_JSON_NODE_UNSIGNED:
    case CPS_JSON_NODE_BIG_INTEGER: member.kind = CPS_JSON_MEMBER_BIG_INTEGER; break;
    default: member.kind = CPS_JSON_MEMBER_OTHER; break;
    }
}

cps_json_object_status read_slowly(
    const void *bytes, size_t length, const cps_json_name *names, size_t count,
    cps_json_member *members) {
    if (!parse_slowly(bytes, length)) {
        return scratch.slow == nullptr ? CPS_JSON_OBJECT_NO_MEMORY : CPS_JSON_OBJECT_NOT_JSON;
    }
    const cps_json_node *nodes = cps_json_nodes(scratch.slow);
    const size_t end = cps_json_node_count(scratch.slow);
    if (nodes[0].kind != CPS_JSON_NODE_OBJECT) return CPS_JSON_OBJECT_NOT_AN_OBJECT;
    size_t depth = 0;
    for (size_t index = 0; index < end; index++) {
        switch (nodes[index].kind) {
        case CPS_JSON_NODE_OBJECT:
        case CPS_JSON_NODE_ARRAY: depth++; break;
        case CPS_JSON_NODE_END: depth--; break;
        case CPS_JSON_NODE_KEY:
            if (depth == 1) {
                const std::string_view key(nodes[index].text, nodes[index].length);
                if (auto *member = find(key, names, count, members)) read(nodes[index + 1], *member);
            }
            break;
        default: break;
        }
    }
    return CPS_JSON_OBJECT_OK;
}

}  // namespace

bool cps_json_is_well_formed(const void *bytes, size_t length) {
    try {
        simdjson::dom::element root;
        const auto error = scratch.parse(bytes, length, root);
        if (may_be_number_range(error)) return parse_slowly(bytes, length);
        return error == simdjson::SUCCESS;
    } catch (...) {
        return false;
    }
}

cps_json_object_status cps_json_object_read(
    const void *bytes, size_t length, const cps_json_name *names, size_t count,
    cps_json_member *members) {
    try {
        std::fill_n(members, count, cps_json_member{CPS_JSON_MEMBER_ABSENT, false, nullptr, 0, 0, 0});
        simdjson::dom::element root;
        const auto error = scratch.parse(bytes, length, root);
        if (may_be_number_range(error)) return read_slowly(bytes, length, names, count, members);
        if (error == simdjson::MEMALLOC) return CPS_JSON_OBJECT_NO_MEMORY;
        if (error != simdjson::SUCCESS) return CPS_JSON_OBJECT_NOT_JSON;
        simdjson::dom::object object;
        if (root.get(object) != simdjson::SUCCESS) return CPS_JSON_OBJECT_NOT_AN_OBJECT;
        for (const auto [key, value] : object) {
            if (auto *member = find(key, names, count, members)) read(value, *member);
        }
        return CPS_JSON_OBJECT_OK;
    } catch (...) {
        return CPS_JSON_OBJECT_NO_MEMORY;
    }
}
