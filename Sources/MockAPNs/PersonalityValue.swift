import PushPayload

/// A JSON value of a personality with its path, for faults that say where they are.
struct PersonalityValue {
    let value: JSONValue
    let path: String

    init(_ value: JSONValue, path: String) {
        self.value = value
        self.path = path
    }

    /// What a text of the command line means: a number or truth value where it is one.
    static func value(of text: String) -> JSONValue {
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        if let integer = Int64(text) { return .number(.integer(integer)) }
        // Digits alone: Swift also reads "nan" and "0x1p3".
        let isNumber = text.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
        if isNumber, let number = Double(text) { return .number(.double(number)) }
        return .string(text)
    }

    var isObject: Bool {
        if case .object = value { true } else { false }
    }

    func fault(_ code: PayloadFaultCode, _ rest: String) -> PayloadFault {
        PayloadFault(
            code: code,
            path: path,
            message: "\(path.isEmpty ? "the personality" : path) \(rest)"
        )
    }

    /// The fault of a name that is not known.
    func unknown(_ name: String, _ what: String, _ known: [String]) -> PayloadFault {
        let nearest = NearestName.find(name, in: known)
        return PayloadFault(
            code: .unknownField,
            path: path,
            message: "\(name) is no \(what)"
                + (nearest.map { ": did you mean \($0)?" }
                    ?? ": give one of \(known.joined(separator: ", "))")
        )
    }

    /// The members of an object, all of which must be known; any key where `known` is nil.
    func members(
        _ known: [String]? = nil
    ) throws(PayloadFault) -> [(key: String, value: PersonalityValue)] {
        guard case .object(let object) = value else { throw fault(.wrongType, "must be an object") }
        var members: [(key: String, value: PersonalityValue)] = []
        for member in object.members {
            let path = path.isEmpty ? member.key : "\(path).\(member.key)"
            let value = PersonalityValue(member.value, path: path)
            if let known, !known.contains(member.key) {
                let place = self.path.isEmpty ? "key of a personality" : "key of \(self.path)"
                throw value.unknown(member.key, place, known)
            }
            members.append((member.key, value))
        }
        return members
    }

    func elements() throws(PayloadFault) -> [PersonalityValue] {
        guard case .array(let elements) = value else { throw fault(.wrongType, "must be a list") }
        return elements.enumerated().map {
            PersonalityValue($0.element, path: "\(path)[\($0.offset)]")
        }
    }

    func text(_ what: String) throws(PayloadFault) -> String {
        guard case .string(let text) = value, !text.isEmpty else {
            throw fault(.wrongType, "must be the name of \(what)")
        }
        return text
    }

    func boolean() throws(PayloadFault) -> Bool {
        guard case .bool(let isOn) = value else {
            throw fault(.wrongType, "must be true or false")
        }
        return isOn
    }

    func integer(_ bounds: ClosedRange<UInt64>) throws(PayloadFault) -> UInt64 {
        guard case .number(.integer(let integer)) = value else {
            throw fault(.wrongType, "must be a whole number")
        }
        guard let number = UInt64(exactly: integer), bounds.contains(number) else {
            throw fault(.outOfRange, "must be \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    func number(_ bounds: ClosedRange<Double>) throws(PayloadFault) -> Double {
        guard case .number(let number) = value else {
            throw fault(.wrongType, "must be a number")
        }
        guard bounds.contains(number.doubleValue) else {
            throw fault(.outOfRange, "must be \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number.doubleValue
    }

    /// A share, as in "2%".
    func share() throws(PayloadFault) -> Share {
        guard case .string(let text) = value, text.hasSuffix("%"),
            let percent = Self.number(text.dropLast())
        else { throw fault(.wrongType, #"must be a share such as "2%" or "0.5%""#) }
        guard percent <= 100 else { throw fault(.outOfRange, "must be 0% to 100%") }
        return Share(fraction: percent / 100)
    }

    /// A time in nanoseconds, as in "5ms".
    func time() throws(PayloadFault) -> UInt64 {
        if case .string(let text) = value {
            let digits = text.prefix { $0.isNumber || $0 == "." }
            let units: [String: Double] = ["us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9]
            if let number = Self.number(digits),
                let unit = units[String(text.dropFirst(digits.count))]
            {
                guard number * unit <= 1e17 else { throw fault(.outOfRange, "is too long a time") }
                return UInt64(number * unit)
            }
        }
        throw fault(.wrongType, #"must be a time such as "250us", "5ms", "2s" or "1.5m""#)
    }

    /// Refuses a reason that would not fit a GOAWAY frame or a line of a record.
    func checkReason(_ name: String) throws(PayloadFault) {
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy({ 0x20..<0x7F ~= $0 })
        else { throw fault(.outOfRange, "must have a name of 1 to 100 ASCII characters") }
    }

    func check(sharesAddUpTo sum: Double) throws(PayloadFault) {
        // A hair over 1 is rounding.
        guard sum <= 1.000_001 else {
            throw fault(.outOfRange, "has shares of more than 100% together")
        }
    }

    private static func number(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }) else {
            return nil
        }
        return Double(text)
    }
}
