import CJSON
import PushModel

/// What the body of a request to create a channel says (contract 1.1).
struct ChannelSettings {
    var policy: ChannelRegistry.StoragePolicy
    /// The one push type that a channel may have.
    static let pushType = "LiveActivity"
    private static let policyKey = "message-storage-policy"
    private static let pushTypeKey = "push-type"

    /// Reads the body.
    ///
    /// A body that is no JSON object is BadRequestPayload; a member of another name, or a policy that
    /// is missing or none of the two, is BadRequestParams.
    static func read(_ body: RawSpan) -> Result<ChannelSettings, Fault> {
        let document = body.withUnsafeBytes { cps_json_parse($0.baseAddress, $0.count) }
        guard let document else { return .failure(Fault(.badRequestPayload)) }
        defer { cps_json_free(document) }
        let nodes = UnsafeBufferPointer(
            start: cps_json_nodes(document),
            count: cps_json_node_count(document)
        )
        guard cps_json_fault_count(document) == 0, nodes.first?.kind == CPS_JSON_NODE_OBJECT else {
            return .failure(Fault(.badRequestPayload))
        }
        var policy: ChannelRegistry.StoragePolicy?
        var pushType: String?
        // A key, its value, and so on: both values are scalars, and the object's end is no key.
        var next = 1
        while next + 1 < nodes.count {
            let value = nodes[next + 1]
            switch text(nodes[next]) {
            case policyKey where value.kind == CPS_JSON_NODE_INTEGER:
                policy = UInt8(exactly: value.value.integer).flatMap { .init(rawValue: $0) }
            case pushTypeKey where value.kind == CPS_JSON_NODE_STRING: pushType = text(value)
            case pushTypeKey: return .failure(Fault(ReasonCode(.invalidPushType)))
            default: return .failure(Fault(.badRequestParams))
            }
            next += 2
        }
        guard let policy else { return .failure(Fault(.badRequestParams)) }
        guard let pushType else { return .failure(Fault(.missingPushType)) }
        guard pushType == Self.pushType else {
            return .failure(Fault(ReasonCode(.invalidPushType)))
        }
        return .success(ChannelSettings(policy: policy))
    }

    /// The JSON text of a read.
    var json: [UInt8] {
        var text = JSONText()
        text.object {
            $0.field(Self.policyKey, policy.rawValue)
            $0.field(Self.pushTypeKey, Self.pushType)
        }
        return Array(text.text.utf8)
    }

    /// Why a body is refused.
    struct Fault: Error {
        var reason: ReasonCode

        init(_ reason: ReasonCode) { self.reason = reason }

        init(_ reason: BroadcastReason) { self.reason = ReasonCode(reason) }
    }

    private static func text(_ node: cps_json_node) -> String {
        let bytes = UnsafeRawBufferPointer(start: node.text, count: node.length)
        return String(decoding: bytes, as: UTF8.self)
    }
}
