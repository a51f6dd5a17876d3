import CJSON

/// Reads single members of a small JSON object, by simdjson: a token's claims, an error's reason.
public enum FlatJSON {
    /// What a member is.
    public enum Member: Equatable, Sendable {
        /// The object has no such member, or it is null.
        case absent
        case string(String)
        case integer(Int64)
        /// A number written with a point or an exponent.
        case double(Double)
        /// A value of another type, an integer past 64 bits, or a member that comes twice.
        case other
    }

    /// Looks members up by name.
    ///
    /// - Parameters:
    ///   - bytes: The whole JSON text.
    ///   - names: The members' names.
    /// - Returns: One entry a name, in their order; nil where the text is no JSON object.
    public static func members(of bytes: RawSpan, named names: [StaticString]) -> [Member]? {
        let wanted = names.map { name in
            // A static string's bytes never move.
            cps_json_name(
                text: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
                length: name.utf8CodeUnitCount
            )
        }
        var found = [cps_json_member](repeating: cps_json_member(), count: names.count)
        let status = bytes.withUnsafeBytes { text in
            cps_json_object_read(text.baseAddress, text.count, wanted, wanted.count, &found)
        }
        guard status == CPS_JSON_OBJECT_OK else { return nil }
        return found.map(member)
    }

    private static func member(_ member: cps_json_member) -> Member {
        switch member.kind {
        case _ where member.is_repeated: return .other
        case CPS_JSON_MEMBER_ABSENT, CPS_JSON_MEMBER_NULL: return .absent
        case CPS_JSON_MEMBER_INTEGER: return .integer(member.integer)
        case CPS_JSON_MEMBER_DOUBLE: return .double(member.number)
        case CPS_JSON_MEMBER_STRING:
            let text = UnsafeRawBufferPointer(start: member.text, count: member.length)
            return .string(String(decoding: text, as: UTF8.self))
        default: return .other
        }
    }

    /// The string of one member; nil where there is none.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - bytes: The whole JSON text.
    /// - Returns: The string.
    public static func string(_ name: StaticString, in bytes: RawSpan) -> String? {
        guard case .string(let text)? = members(of: bytes, named: [name])?.first else {
            return nil
        }
        return text
    }
}
