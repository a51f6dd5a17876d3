import CJSON

/// Reads JSON texts: RFC 8259 in UTF-8, a byte order mark is accepted (contract 10.2).
public enum JSONDocument {
    /// The most objects and arrays that may stand in one another (contract 11 `c-invalid-json`).
    public static let maximumDepth = Int(CPS_JSON_MAX_DEPTH)

    /// What parsing a text gave.
    public enum Outcome: Equatable, Sendable {
        /// The text's value.
        case value(JSONValue)
        /// Why the text cannot be used, in the order of the text; never empty.
        case faults([PayloadFault])
    }

    /// Parses one text.
    ///
    /// Faults are `invalid_json` with line and column, `invalid_unicode`, and `duplicate_key`.
    ///
    /// - Parameter bytes: The whole text.
    /// - Returns: Its value, or its faults.
    public static func parse(_ bytes: [UInt8]) -> Outcome {
        let parsed = bytes.withUnsafeBytes { cps_json_parse($0.baseAddress, $0.count) }
        guard let document = parsed else {
            let message = "the text needs more memory than there is; make it smaller"
            return .faults([PayloadFault(code: .invalidJSON, path: "", message: message)])
        }
        defer { cps_json_free(document) }
        let faultCount = cps_json_fault_count(document)
        guard faultCount == 0 else {
            return .faults(
                (0..<faultCount).map { fault(cps_json_fault_at(document, $0), in: bytes) }
            )
        }
        let nodes = UnsafeBufferPointer(
            start: cps_json_nodes(document),
            count: cps_json_node_count(document)
        )
        return .value(value(of: nodes))
    }

    /// A container whose end has not been met, with the key its next member goes under.
    private struct Level {
        var isArray: Bool
        var elements: [JSONValue] = []
        var members: [JSONObject.Member] = []
        var key = ""

        var value: JSONValue { isArray ? .array(elements) : .object(JSONObject(members)) }
    }

    /// Puts the nodes together without recursion.
    private static func value(of nodes: UnsafeBufferPointer<cps_json_node>) -> JSONValue {
        var levels: [Level] = []
        for node in nodes {
            let complete: JSONValue
            switch node.kind {
            case CPS_JSON_NODE_ARRAY, CPS_JSON_NODE_OBJECT:
                levels.append(Level(isArray: node.kind == CPS_JSON_NODE_ARRAY))
                continue
            case CPS_JSON_NODE_KEY:
                if !levels.isEmpty { levels[levels.count - 1].key = text(of: node) }
                continue
            case CPS_JSON_NODE_END: complete = levels.popLast()?.value ?? .null
            default: complete = scalar(node)
            }
            if levels.isEmpty { return complete }
            let top = levels.count - 1
            if levels[top].isArray {
                levels[top].elements.append(complete)
            } else {
                let member = JSONObject.Member(key: levels[top].key, value: complete)
                levels[top].members.append(member)
            }
        }
        return .null
    }

    private static func scalar(_ node: cps_json_node) -> JSONValue {
        switch node.kind {
        case CPS_JSON_NODE_FALSE: .bool(false)
        case CPS_JSON_NODE_TRUE: .bool(true)
        case CPS_JSON_NODE_INTEGER: .number(.integer(node.value.integer))
        case CPS_JSON_NODE_UNSIGNED: .number(.unsigned(node.value.unsigned_integer))
        case CPS_JSON_NODE_DOUBLE: .number(.double(node.value.number))
        case CPS_JSON_NODE_BIG_INTEGER: .number(.bigInteger(text(of: node)))
        case CPS_JSON_NODE_BIG_DOUBLE: .number(.bigDouble(text(of: node)))
        case CPS_JSON_NODE_STRING: .string(text(of: node))
        default: .null
        }
    }

    private static func text(of node: cps_json_node) -> String {
        String(
            decoding: UnsafeRawBufferPointer(start: node.text, count: node.length),
            as: UTF8.self
        )
    }

    private static func fault(_ fault: cps_json_fault, in bytes: [UInt8]) -> PayloadFault {
        let path = String(
            decoding: UnsafeRawBufferPointer(start: fault.path, count: fault.path_length),
            as: UTF8.self
        )
        let detail = String(
            decoding: UnsafeRawBufferPointer(start: fault.detail, count: fault.detail_length),
            as: UTF8.self
        )
        let explanation = JSONExplanation(
            bytes: bytes,
            offset: fault.offset,
            expected: fault.expected,
            detail: detail
        )
        switch fault.kind {
        case CPS_JSON_FAULT_DUPLICATE_KEY:
            let message = "the key \(path) stands here twice; remove one (\(explanation.place))"
            return PayloadFault(code: .duplicateKey, path: path, message: message)
        case CPS_JSON_FAULT_UNICODE:
            let message = explanation.unicodeMessage
            return PayloadFault(code: .invalidUnicode, path: path, message: message)
        case CPS_JSON_FAULT_DEPTH:
            let message =
                "\(explanation.place): expected at most \(maximumDepth) objects and arrays in one "
                + "another; nest the values less deeply"
            return PayloadFault(code: .invalidJSON, path: path, message: message)
        default:
            let message = explanation.syntaxMessage
            return PayloadFault(code: .invalidJSON, path: path, message: message)
        }
    }
}
