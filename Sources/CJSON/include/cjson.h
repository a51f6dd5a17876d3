// JSON for Swift: nlohmann's parser for messages (places of faults, order kept, numbers as
// written), simdjson for checks and flat lines at speed. No exception leaves these functions.
#ifndef PUSHBENCH_CJSON_H
#define PUSHBENCH_CJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- A whole document, for messages -------------------------------------------------------------

/// What a node of a document is. Nodes stand in the order of the text; a container's members follow
/// it up to its END node, and each member of an object is a KEY node and then its value.
typedef enum {
    CPS_JSON_NODE_NULL,
    CPS_JSON_NODE_FALSE,
    CPS_JSON_NODE_TRUE,
    /// `value.integer`.
    CPS_JSON_NODE_INTEGER,
    /// `value.unsigned_integer`, above INT64_MAX.
    CPS_JSON_NODE_UNSIGNED,
    /// `value.number`: the text had a point or an exponent.
    CPS_JSON_NODE_DOUBLE,
    /// An integer past 64 bits; `text` has it as written.
    CPS_JSON_NODE_BIG_INTEGER,
    /// A number with a point or an exponent past the range of a double; `text` has it as written.
    CPS_JSON_NODE_BIG_DOUBLE,
    CPS_JSON_NODE_STRING,
    CPS_JSON_NODE_KEY,
    CPS_JSON_NODE_ARRAY,
    CPS_JSON_NODE_OBJECT,
    CPS_JSON_NODE_END,
} cps_json_node_kind;

/// One node. `text` is valid UTF-8, not ended by NUL, and lives as long as the document.
typedef struct {
    cps_json_node_kind kind;
    const char *text;
    size_t length;
    union {
        int64_t integer;
        uint64_t unsigned_integer;
        double number;
    } value;
} cps_json_node;

/// What is wrong with a document.
typedef enum {
    /// The text is no JSON: see `state`, `offset` and `detail`.
    CPS_JSON_FAULT_SYNTAX,
    /// More than `CPS_JSON_MAX_DEPTH` containers in one another.
    CPS_JSON_FAULT_DEPTH,
    /// A string holds a lone surrogate or bytes that are no UTF-8.
    CPS_JSON_FAULT_UNICODE,
    /// An object has the key twice.
    CPS_JSON_FAULT_DUPLICATE_KEY,
} cps_json_fault_kind;

/// What the parser waited for when it met a syntax fault.
typedef enum {
    CPS_JSON_EXPECTED_VALUE,
    CPS_JSON_EXPECTED_VALUE_OR_ARRAY_END,
    CPS_JSON_EXPECTED_COMMA_OR_ARRAY_END,
    CPS_JSON_EXPECTED_KEY,
    CPS_JSON_EXPECTED_KEY_OR_OBJECT_END,
    CPS_JSON_EXPECTED_COLON,
    CPS_JSON_EXPECTED_COMMA_OR_OBJECT_END,
    CPS_JSON_EXPECTED_END_OF_TEXT,
} cps_json_expectation;

enum { CPS_JSON_MAX_DEPTH = 512 };

/// One fault. Pointers live as long as the document.
typedef struct {
    cps_json_fault_kind kind;
    /// The place: keys joined with '.', elements as [0]; "" for the whole text (always so for
    /// SYNTAX and DEPTH). A bad key is reported at the object that holds it.
    const char *path;
    size_t path_length;
    /// Byte offset into the text as given: where the offending token starts, or within a string the
    /// offending byte.
    size_t offset;
    cps_json_expectation expected;
    /// The lexer's own words about a token it cannot read ("" where one is merely out of place).
    const char *detail;
    size_t detail_length;
} cps_json_fault;

typedef struct cps_json_document cps_json_document;

/// Parses one JSON text (RFC 8259, UTF-8, a BOM is accepted). NULL only where memory ran out.
/// The nodes are complete only where there are no faults. Release it with cps_json_free.
cps_json_document *cps_json_parse(const void *bytes, size_t length);
void cps_json_free(cps_json_document *document);
size_t cps_json_node_count(const cps_json_document *document);
const cps_json_node *cps_json_nodes(const cps_json_document *document);
size_t cps_json_fault_count(const cps_json_document *document);
cps_json_fault cps_json_fault_at(const cps_json_document *document, size_t index);

// --- Fast checks and flat lines -----------------------------------------------------------------
// These use a parser and a padded buffer of the calling thread: no allocation once they are warm for
// a length, and nothing is read past `length`.

/// Whether the bytes are exactly one JSON text in UTF-8 (any value; no BOM; at most 1,024 deep).
bool cps_json_is_well_formed(const void *bytes, size_t length);

/// Why a line could not be read as an object.
typedef enum {
    CPS_JSON_OBJECT_OK,
    /// The bytes are no JSON text.
    CPS_JSON_OBJECT_NOT_JSON,
    /// The bytes are JSON, but no object.
    CPS_JSON_OBJECT_NOT_AN_OBJECT,
    /// Memory ran out.
    CPS_JSON_OBJECT_NO_MEMORY,
} cps_json_object_status;

/// A member's name that is looked for; UTF-8, compared byte by byte.
typedef struct {
    const char *text;
    size_t length;
} cps_json_name;

/// What a member is.
typedef enum {
    CPS_JSON_MEMBER_ABSENT,
    CPS_JSON_MEMBER_NULL,
    /// `text` and `length`.
    CPS_JSON_MEMBER_STRING,
    /// `integer`.
    CPS_JSON_MEMBER_INTEGER,
    /// An integer that does not fit int64_t.
    CPS_JSON_MEMBER_BIG_INTEGER,
    /// `number`: written with a point or an exponent.
    CPS_JSON_MEMBER_DOUBLE,
    /// A boolean, an array, an object, or a number past the range of a double.
    CPS_JSON_MEMBER_OTHER,
} cps_json_member_kind;

/// One member. `text` (unescaped UTF-8) lives until the thread's next call of a function of this
/// section.
typedef struct {
    cps_json_member_kind kind;
    /// The object has the name more than once; the first member is the one reported.
    bool is_repeated;
    const char *text;
    size_t length;
    int64_t integer;
    double number;
} cps_json_member;

/// Reads one object and looks up `count` names: members[i] belongs to names[i].
/// Members of other names are checked as JSON and skipped.
cps_json_object_status cps_json_object_read(
    const void *bytes, size_t length, const cps_json_name *names, size_t count,
    cps_json_member *members);

#ifdef __cplusplus
}
#endif
#endif
