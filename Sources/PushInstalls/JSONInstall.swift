import CJSON

/// Reads installs written as JSON objects, one after the other, with memory of its own.
///
/// The texts of an object live until the next one is read on the same thread.
struct JSONInstall: ~Copyable {
    private let names: UnsafeMutableBufferPointer<cps_json_name>
    private let members: UnsafeMutableBufferPointer<cps_json_member>

    init() {
        let columns = InstallColumn.allCases
        names = .allocate(capacity: columns.count)
        members = .allocate(capacity: columns.count)
        members.initialize(repeating: cps_json_member())
        for column in columns {
            let name = column.name
            // The bytes of a static string stay where they are as long as the process lives.
            let text = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
            names.initializeElement(
                at: column.rawValue,
                to: cps_json_name(text: text, length: name.utf8CodeUnitCount)
            )
        }
    }

    deinit {
        names.deallocate()
        members.deallocate()
    }

    /// Reads one object and finds its members.
    func read(_ bytes: UnsafeRawBufferPointer) throws(LineProblem) {
        let status = cps_json_object_read(
            bytes.baseAddress,
            bytes.count,
            names.baseAddress,
            names.count,
            members.baseAddress
        )
        switch status {
        case CPS_JSON_OBJECT_OK: return
        case CPS_JSON_OBJECT_NOT_JSON: throw Self.problem(with: bytes)
        case CPS_JSON_OBJECT_NOT_AN_OBJECT: throw .notAnObject
        default: throw .lineTooLong
        }
    }

    /// The install that the members describe, checked in the order of the columns.
    func install() throws(LineProblem) -> ParsedInstall {
        var install = ParsedInstall()
        install.token = try token()
        install.language = try language()
        install.environment = try InstallRules.environment(text(.environment))
        install.badge = try badge()
        install.uid = try uid()
        install.key = try key()
        _ = try text(.id)
        return install
    }

    func token() throws(LineProblem) -> UnsafeRawBufferPointer {
        let kind = members[InstallColumn.token.rawValue].kind
        if kind == CPS_JSON_MEMBER_ABSENT || kind == CPS_JSON_MEMBER_NULL { throw .missing(.token) }
        let token = try text(.token)
        try InstallRules.checkToken(token)
        return token
    }

    func language() throws(LineProblem) -> UnsafeRawBufferPointer {
        let language = try text(.language)
        try InstallRules.checkLanguage(language)
        return language
    }

    func uid() throws(LineProblem) -> UnsafeRawBufferPointer {
        let uid = try text(.uid)
        try InstallRules.checkUID(uid)
        return uid
    }

    func key() throws(LineProblem) -> InstallKey? {
        let publicKey = try text(.publicKey)
        let cipherName = try text(.cipherName)
        guard !publicKey.isEmpty || !cipherName.isEmpty else { return nil }
        return try InstallRules.key(publicKey, cipherName: cipherName)
    }

    func badge() throws(LineProblem) -> Int64? {
        let member = try member(.badge)
        switch member.kind {
        case CPS_JSON_MEMBER_ABSENT, CPS_JSON_MEMBER_NULL: return nil
        case CPS_JSON_MEMBER_INTEGER:
            guard member.integer >= 0 else { throw .badgeNegative }
            return member.integer
        case CPS_JSON_MEMBER_BIG_INTEGER: throw .badgeRange
        default: throw .badgeText
        }
    }

    /// A member's text; empty where it is absent or null.
    func text(_ column: InstallColumn) throws(LineProblem) -> UnsafeRawBufferPointer {
        let member = try member(column)
        switch member.kind {
        case CPS_JSON_MEMBER_STRING:
            return UnsafeRawBufferPointer(start: member.text, count: member.length)
        case CPS_JSON_MEMBER_ABSENT, CPS_JSON_MEMBER_NULL:
            return UnsafeRawBufferPointer(start: nil, count: 0)
        default:
            throw .wrongType(column)
        }
    }

    private func member(_ column: InstallColumn) throws(LineProblem) -> cps_json_member {
        let member = members[column.rawValue]
        if member.is_repeated { throw .repeatedKey(column) }
        return member
    }

    /// Says why bytes are no JSON, by the slower parser that knows places.
    @inline(never)
    private static func problem(with bytes: UnsafeRawBufferPointer) -> LineProblem {
        guard UTF8Text.isValid(bytes) else { return .notUnicode }
        guard let document = cps_json_parse(bytes.baseAddress, bytes.count) else {
            return .lineTooLong
        }
        defer { cps_json_free(document) }
        for index in 0..<cps_json_fault_count(document) {
            let fault = cps_json_fault_at(document, index)
            switch fault.kind {
            case CPS_JSON_FAULT_UNICODE: return .loneSurrogate
            case CPS_JSON_FAULT_SYNTAX: return .syntax(offset: fault.offset, fault.expected)
            case CPS_JSON_FAULT_DEPTH: return .tooDeep
            default: continue
            }
        }
        return .tooDeep
    }
}
