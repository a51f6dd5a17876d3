#include "cjson.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

// A parsed text. Strings sit in deques, so that pointers to them stay valid while it grows.
struct cps_json_document {
    struct Fault {
        cps_json_fault_kind kind;
        std::string path;
        size_t offset;
        cps_json_expectation expected;
        std::string detail;
    };

    std::vector<cps_json_node> nodes;
    std::deque<std::string> strings;
    std::vector<Fault> faults;
};

namespace {

// The text as the parser sees it. Two things nlohmann's parser would do are prevented by changing
// bytes before it reads them, without moving any: a NUL outside a string ends its input silently,
// so it becomes U+0001, a fault; and a number past a double's range stops it, so it becomes 0 and
// blanks, and the handler puts the number as written back.
struct Source {
    struct BigNumber {
        size_t offset;
        size_t length;
    };

    std::string text;
    size_t position = 0;
    std::vector<BigNumber> big_numbers;
    size_t next_big_number = 0;

    Source(const char *bytes, size_t length) : text(bytes, length) {
        bool in_string = false;
        for (size_t index = 0; index < text.size(); index++) {
            const char byte = text[index];
            if (in_string) {
                if (byte == '\\') {
                    index++;
                } else if (byte == '"') {
                    in_string = false;
                }
            } else if (byte == '"') {
                in_string = true;
            } else if (byte == '\0') {
                text[index] = '\1';
            } else if (byte == '-' || is_digit(byte)) {
                index = take_number(index) - 1;
            }
        }
    }

  private:
    static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

    char at(size_t index) const { return index < text.size() ? text[index] : '\0'; }

    size_t skip_digits(size_t index) const {
        while (is_digit(at(index))) index++;
        return index;
    }

    // Returns the end of the number at `start`; replaces it where no double holds it.
    size_t take_number(size_t start) {
        size_t end = start + (at(start) == '-' ? 1 : 0);
        const size_t digits = end;
        end = at(end) == '0' ? end + 1 : skip_digits(end);
        if (end == digits) return end;
        if (at(end) == '.') {
            const size_t fraction = skip_digits(end + 1);
            if (fraction == end + 1) return end;
            end = fraction;
        }
        if (at(end) == 'e' || at(end) == 'E') {
            size_t exponent = end + 1;
            if (at(exponent) == '+' || at(exponent) == '-') exponent++;
            if (!is_digit(at(exponent))) return end;
            end = skip_digits(exponent);
        }
        const std::string number = text.substr(start, end - start);
        if (std::isfinite(std::strtod(number.c_str(), nullptr))) return end;
        big_numbers.push_back({start, end - start});
        text[start] = '0';
        std::fill(text.begin() + start + 1, text.begin() + end, ' ');
        return end;
    }
};

// Feeds a Source to the parser and counts what it has read.
struct SourceIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    Source *source;
    bool is_end;

    reference operator*() const { return source->text[source->position]; }
    SourceIterator &operator++() {
        source->position++;
        return *this;
    }
    bool operator!=(const SourceIterator &) const {
        return source->position < source->text.size();
    }
    bool operator==(const SourceIterator &other) const { return !(*this != other); }
};

// Receives the parser's events, keeps the way to the current value, and writes nodes and faults.
class Handler {
  public:
    Handler(cps_json_document &document, Source &source, const char *original)
        : document(document), source(source), original(original) {}

    bool null() { return add(CPS_JSON_NODE_NULL, {}, source.position); }

    bool boolean(bool value) {
        return add(value ? CPS_JSON_NODE_TRUE : CPS_JSON_NODE_FALSE, {}, source.position);
    }

    bool number_integer(int64_t value) {
        cps_json_node node{CPS_JSON_NODE_INTEGER, nullptr, 0, {}};
        node.value.integer = value;
        return add_number(node);
    }

    bool number_unsigned(uint64_t value) {
        cps_json_node node{CPS_JSON_NODE_INTEGER, nullptr, 0, {}};
        if (value > static_cast<uint64_t>(INT64_MAX)) {
            node.kind = CPS_JSON_NODE_UNSIGNED;
            node.value.unsigned_integer = value;
        } else {
            node.value.integer = static_cast<int64_t>(value);
        }
        return add_number(node);
    }

    bool number_float(double value, const std::string &text) {
        cps_json_node node{CPS_JSON_NODE_DOUBLE, nullptr, 0, {}};
        node.value.number = value;
        if (text.find_first_of(".eE") == std::string::npos) {
            node.kind = CPS_JSON_NODE_BIG_INTEGER;
            keep(node, text);
        }
        return add_number(node);
    }

    bool string(std::string &value) {
        return add(CPS_JSON_NODE_STRING, &value, source.position);
    }

    bool binary(nlohmann::json::binary_t &) { return false; }

    bool start_object(size_t) { return open(false); }
    bool start_array(size_t) { return open(true); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string &value) {
        Level &level = levels.back();
        level.key = value;
        level.has_key = true;
        const auto [entry, is_new] = level.keys.emplace(value, false);
        if (!is_new && !entry->second) {
            entry->second = true;
            fault(CPS_JSON_FAULT_DUPLICATE_KEY, path(true), source.position - 1);
        }
        cps_json_node node{CPS_JSON_NODE_KEY, nullptr, 0, {}};
        keep(node, value);
        document.nodes.push_back(node);
        last = Last::key;
        last_end = source.position;
        return true;
    }

    bool parse_error(size_t, const std::string &, const nlohmann::json::exception &error) {
        const std::string_view words = error.what();
        std::string detail = lexer_words(words);
        const bool in_string = detail.rfind("invalid string", 0) == 0;
        const bool is_unicode = in_string && (detail.find("UTF-8") != std::string::npos ||
                                              detail.find("surrogate") != std::string::npos);
        const size_t read = std::min(source.position, source.text.size());
        const cps_json_expectation expected = expectation();
        if (is_unicode) {
            const bool is_key = expected == CPS_JSON_EXPECTED_KEY ||
                                expected == CPS_JSON_EXPECTED_KEY_OR_OBJECT_END;
            fault(
                CPS_JSON_FAULT_UNICODE, path(!is_key), read > 0 ? read - 1 : 0, expected,
                std::move(detail));
        } else {
            // A fault of syntax makes all else uncertain: it stands alone.
            document.faults.clear();
            size_t offset = token_start();
            if (in_string && read > 0) offset = read - (read < source.text.size() ? 1 : 0);
            fault(CPS_JSON_FAULT_SYNTAX, {}, offset, expected, std::move(detail));
        }
        return false;
    }

  private:
    enum class Last { nothing, open, key, value };

    struct Level {
        bool is_array;
        size_t count;
        bool has_key;
        std::string key;
        std::unordered_map<std::string, bool> keys;
    };

    cps_json_document &document;
    Source &source;
    const char *original;
    std::vector<Level> levels;
    Last last = Last::nothing;
    size_t last_end = 0;

    void keep(cps_json_node &node, std::string text) {
        document.strings.push_back(std::move(text));
        node.text = document.strings.back().data();
        node.length = document.strings.back().size();
    }

    bool add(cps_json_node_kind kind, std::string *text, size_t end) {
        cps_json_node node{kind, nullptr, 0, {}};
        if (text != nullptr) keep(node, std::move(*text));
        document.nodes.push_back(node);
        return finish_value(end);
    }

    bool add_number(cps_json_node node) {
        // The parser has read one byte past a number, unless the text ended there.
        size_t end = source.position;
        if (end < source.text.size() || !is_digit(source.text[end - 1])) end--;
        if (source.next_big_number < source.big_numbers.size()) {
            const auto &big = source.big_numbers[source.next_big_number];
            if (big.offset + 1 == end) {
                source.next_big_number++;
                std::string text(original + big.offset, big.length);
                node.kind = text.find_first_of(".eE") == std::string::npos
                                ? CPS_JSON_NODE_BIG_INTEGER
                                : CPS_JSON_NODE_BIG_DOUBLE;
                keep(node, std::move(text));
            }
        }
        document.nodes.push_back(node);
        return finish_value(end);
    }

    static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

    bool finish_value(size_t end) {
        if (!levels.empty()) levels.back().count++;
        last = Last::value;
        last_end = end;
        return true;
    }

    bool open(bool is_array) {
        if (levels.size() >= CPS_JSON_MAX_DEPTH) {
            document.faults.clear();
            fault(CPS_JSON_FAULT_DEPTH, {}, source.position - 1);
            return false;
        }
        document.nodes.push_back(
            {is_array ? CPS_JSON_NODE_ARRAY : CPS_JSON_NODE_OBJECT, nullptr, 0, {}});
        levels.push_back({is_array, 0, false, {}, {}});
        last = Last::open;
        last_end = source.position;
        return true;
    }

    bool close() {
        levels.pop_back();
        document.nodes.push_back({CPS_JSON_NODE_END, nullptr, 0, {}});
        return finish_value(source.position);
    }

    void fault(
        cps_json_fault_kind kind, std::string path, size_t offset,
        cps_json_expectation expected = CPS_JSON_EXPECTED_VALUE, std::string detail = {}) {
        document.faults.push_back({kind, std::move(path), offset, expected, std::move(detail)});
    }

    // The way to the value being read, or without `includes_current` to the container around it.
    std::string path(bool includes_current) const {
        std::string result;
        for (size_t depth = 0; depth < levels.size(); depth++) {
            if (depth + 1 == levels.size() && !includes_current) break;
            const Level &level = levels[depth];
            if (level.is_array) {
                result += '[' + std::to_string(level.count) + ']';
            } else if (level.has_key) {
                if (!result.empty()) result += '.';
                result += level.key;
            }
        }
        return result;
    }

    size_t skip_blanks(size_t offset) const {
        while (offset < source.text.size() && std::strchr(" \t\r\n", source.text[offset])) offset++;
        return offset;
    }

    // The structural byte that the parser took after the last event: a comma, a colon or none.
    char separator() const {
        size_t offset = last_end;
        if (last == Last::nothing && original[0] == '\xEF') offset += 3;
        offset = skip_blanks(offset);
        if (offset >= source.text.size()) return '\0';
        const char byte = source.text[offset];
        if (last == Last::key && byte == ':') return byte;
        if (last == Last::value && !levels.empty() && byte == ',') return byte;
        return '\0';
    }

    size_t token_start() const {
        size_t offset = last_end;
        if (last == Last::nothing && source.text.rfind("\xEF\xBB\xBF", 0) == 0) offset += 3;
        offset = skip_blanks(offset);
        return separator() == '\0' ? offset : skip_blanks(offset + 1);
    }

    cps_json_expectation expectation() const {
        const bool has_separator = separator() != '\0';
        if (levels.empty()) {
            return last == Last::nothing ? CPS_JSON_EXPECTED_VALUE : CPS_JSON_EXPECTED_END_OF_TEXT;
        }
        const bool is_array = levels.back().is_array;
        switch (last) {
        case Last::key:
            return has_separator ? CPS_JSON_EXPECTED_VALUE : CPS_JSON_EXPECTED_COLON;
        case Last::open:
            return is_array ? CPS_JSON_EXPECTED_VALUE_OR_ARRAY_END
                            : CPS_JSON_EXPECTED_KEY_OR_OBJECT_END;
        default:
            if (has_separator) return is_array ? CPS_JSON_EXPECTED_VALUE : CPS_JSON_EXPECTED_KEY;
            return is_array ? CPS_JSON_EXPECTED_COMMA_OR_ARRAY_END
                            : CPS_JSON_EXPECTED_COMMA_OR_OBJECT_END;
        }
    }

    // Cuts the lexer's own words out of the parser's sentence "... - WORDS; last read: ...".
    static std::string lexer_words(std::string_view sentence) {
        const size_t end = sentence.find("; last read:");
        if (end == std::string_view::npos) return {};
        const size_t start = sentence.find(" - ");
        if (start == std::string_view::npos || start > end) return {};
        return std::string(sentence.substr(start + 3, end - start - 3));
    }
};

}  // namespace

cps_json_document *cps_json_parse(const void *bytes, size_t length) {
    cps_json_document *document = nullptr;
    try {
        document = new cps_json_document;
        const char *text = length > 0 ? static_cast<const char *>(bytes) : "";
        Source source(text, length);
        Handler handler(*document, source, text);
        nlohmann::json::sax_parse(
            SourceIterator{&source, false}, SourceIterator{&source, true}, &handler);
        return document;
    } catch (...) {
        delete document;
        return nullptr;
    }
}

void cps_json_free(cps_json_document *document) { delete document; }

size_t cps_json_node_count(const cps_json_document *document) { return document->nodes.size(); }

const cps_json_node *cps_json_nodes(const cps_json_document *document) {
    return document->nodes.data();
}

size_t cps_json_fault_count(const cps_json_document *document) { return document->faults.size(); }

cps_json_fault cps_json_fault_at(const cps_json_document *document, size_t index) {
    const auto &fault = document->faults[index];
    return {fault.kind,     fault.path.data(),   fault.path.size(),  fault.offset,
            fault.expected, fault.detail.data(), fault.detail.size()};
}
