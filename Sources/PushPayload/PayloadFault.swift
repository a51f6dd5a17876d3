/// The stable code of a fault in a message or an install (contract 6.1 and 11).
public enum PayloadFaultCode: String, CaseIterable, Sendable {
    case missingField = "missing_field"
    case wrongType = "wrong_type"
    case emptyMessage = "empty_message"
    case messageTooLong = "message_too_long"
    case titleTooLong = "title_too_long"
    case tooManyButtons = "too_many_buttons"
    case invalidButton = "invalid_button"
    case invalidURL = "invalid_url"
    case imageNotHTTPS = "image_not_https"
    case invalidDataValue = "invalid_data_value"
    case reservedKey = "reserved_key"
    case duplicateKey = "duplicate_key"
    case duplicateLanguage = "duplicate_language"
    case unknownDefaultLanguage = "unknown_default_language"
    case invalidUnicode = "invalid_unicode"
    case unknownApsKey = "unknown_aps_key"
    case invalidEnum = "invalid_enum"
    case outOfRange = "out_of_range"
    case priorityMismatch = "priority_mismatch"
    case backgroundHasUserKeys = "background_has_user_keys"
    case liveActivityIncomplete = "live_activity_incomplete"
    case multipleActions = "multiple_actions"
    case invalidPublicKey = "invalid_public_key"
    case unsupportedCipher = "unsupported_cipher"
    case invalidToken = "invalid_token"
    case invalidAPNsID = "invalid_apns_id"
    case collapseIDTooLong = "collapse_id_too_long"
    case payloadTooLarge = "payload_too_large"
    case invalidJSON = "invalid_json"
    case unknownField = "unknown_field"
    case invalidLanguage = "invalid_language"
    case invalidHeaderValue = "invalid_header_value"
}

/// One thing that is wrong with a message or an install, or that a sender should look at.
public struct PayloadFault: Equatable, Sendable, Error, CustomStringConvertible {
    /// How much a fault weighs.
    public enum Severity: String, Sendable {
        /// The message is refused.
        case error
        /// The message is sent as it is.
        case warning
    }

    /// The stable code.
    public var code: PayloadFaultCode
    /// The place: keys joined with `.`, elements as `[0]`, empty for the whole message.
    public var path: String
    /// One sentence that names the thing and the mend.
    public var message: String
    /// Whether the message is refused for it.
    public var severity: Severity

    /// Makes a fault.
    public init(
        code: PayloadFaultCode,
        path: String,
        message: String,
        severity: Severity = .error
    ) {
        self.code = code
        self.path = path
        self.message = message
        self.severity = severity
    }

    /// The fault as one JSON object without a line end (design 4).
    public var jsonLine: String {
        var bytes: [UInt8] = []
        JSONText.append(.object(jsonObject), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The fault as a JSON object; an error has no `severity`.
    var jsonObject: JSONObject {
        var members: [JSONObject.Member] = [
            .init(key: "code", value: .string(code.rawValue)),
            .init(key: "path", value: .string(path)),
            .init(key: "message", value: .string(message)),
        ]
        if severity == .warning {
            members.append(.init(key: "severity", value: .string(severity.rawValue)))
        }
        return JSONObject(members)
    }

    /// The fault as one line for people.
    public var description: String {
        path.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue) at \(path): \(message)"
    }
}
