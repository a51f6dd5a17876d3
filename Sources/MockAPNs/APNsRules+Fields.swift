import CJSON
import HTTP2

/// The form of single header fields.
extension APNsRules {
    static let devicePath: StaticString = "/3/device/"
    /// The longest `apns-collapse-id`, in bytes (contract 1.2).
    static let longestCollapseID = 64
    static let longestTopic = 255

    /// A UUID of 8-4-4-4-12 hex digits in either case, as it stands; nil where `text` is none.
    static func uuid(_ text: RawSpan) -> ServerResponse.UUIDText? {
        var copy = ServerResponse.UUIDText(repeating: 0)
        guard text.byteCount == copy.count else { return nil }
        for index in copy.indices {
            let byte = text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: break
                default: return nil
                }
            }
            copy[index] = byte
        }
        return copy
    }

    /// Whether `text` is seconds since the epoch: decimal digits that fit 64 bits.
    static func isTime(_ text: RawSpan) -> Bool {
        guard (1...18).contains(text.byteCount) else { return false }
        for offset in text.byteOffsets {
            guard 0x30...0x39 ~= text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) else {
                return false
            }
        }
        return true
    }

    /// Whether `text` has the characters and the length of a topic.
    static func isTopic(_ text: RawSpan) -> Bool {
        guard (1...longestTopic).contains(text.byteCount) else { return false }
        for offset in text.byteOffsets {
            switch text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return true
    }

    /// Whether `text` is one JSON object in UTF-8.
    static func isJSONObject(_ text: RawSpan) -> Bool {
        for offset in text.byteOffsets {
            switch text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "{"):
                return text.withUnsafeBytes { cps_json_is_well_formed($0.baseAddress, $0.count) }
            default: return false
            }
        }
        return false
    }
}
