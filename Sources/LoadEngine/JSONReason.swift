import CJSON

/// Reads the `reason` of an APNs error body.
enum JSONReason {
    private static let name: StaticString = "reason"

    /// The reason; nil where the body is no JSON object with a string of that name.
    static func parse(_ body: RawSpan) -> String? {
        var member = cps_json_member()
        let status = body.withUnsafeBytes { bytes in
            name.withUTF8Buffer { name in
                name.withMemoryRebound(to: CChar.self) { text in
                    var names = cps_json_name(text: text.baseAddress, length: text.count)
                    return cps_json_object_read(
                        bytes.baseAddress,
                        bytes.count,
                        &names,
                        1,
                        &member
                    )
                }
            }
        }
        guard status == CPS_JSON_OBJECT_OK, member.kind == CPS_JSON_MEMBER_STRING,
            let text = member.text
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: text, count: member.length)
        return String(decoding: bytes, as: UTF8.self)
    }
}
