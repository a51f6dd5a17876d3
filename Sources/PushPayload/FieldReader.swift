/// Reads the fields of one object of a message, and says what is wrong with them.
///
/// Every method treats null as absent (contract 11 `c-null`).
struct FieldReader {
    let object: JSONObject
    /// Where the object stands; empty for the message itself.
    let path: String

    init(_ object: JSONObject, at path: String = "") {
        self.object = object
        self.path = path
    }

    /// The path of a field of this object.
    func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// The value of a field; nil where it is absent or null.
    func value(_ name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    func string(_ name: String, _ faults: inout FaultList) -> String? {
        guard let value = value(name) else { return nil }
        if case .string(let text) = value { return text }
        faults.add(.wrongType, at: path(of: name), "\(name) must be a string, not \(value.kind)")
        return nil
    }

    /// Adds `missing_field` where a field is absent or null.
    func requireField(_ name: String, _ faults: inout FaultList) {
        guard value(name) == nil else { return }
        faults.add(.missingField, at: path(of: name), "\(name) is missing; add it")
    }

    /// A truth value; 1 and 0 are none (contract 11 `c-flags`).
    func bool(_ name: String, _ faults: inout FaultList) -> Bool? {
        guard let value = value(name) else { return nil }
        if case .bool(let isOn) = value { return isOn }
        let message = "\(name) must be true or false, not \(value.kind)"
        faults.add(.wrongType, at: path(of: name), message)
        return nil
    }

    /// Adds a warning for each field that is not `known`; the advice leaves `knownToo` out.
    ///
    /// - Parameters:
    ///   - known: The fields that a mend may name.
    ///   - aliases: Fields that are known too.
    ///   - faults: Where the warnings go.
    ///   - mend: The mend of a field that is plainly meant for another place.
    func warnUnknown(
        known: [String],
        knownToo aliases: [String] = [],
        _ faults: inout FaultList,
        mend: (String) -> String? = { _ in nil }
    ) {
        let all = known + aliases
        for member in object.members where !all.contains(where: { $0.hasSameBytes(as: member.key) })
        {
            let message =
                mend(member.key) ?? UnknownKeyAdvice.field(member.key, known: known)
            faults.warn(.unknownField, at: path(of: member.key), message)
        }
    }

    func object(_ name: String, _ faults: inout FaultList) -> JSONObject? {
        guard let value = value(name) else { return nil }
        if case .object(let object) = value { return object }
        faults.add(.wrongType, at: path(of: name), "\(name) must be an object, not \(value.kind)")
        return nil
    }

    /// A whole number without point or exponent (contract 11 `c-integer`).
    func integer(
        _ name: String,
        atLeast minimum: Int64? = nil,
        _ faults: inout FaultList
    ) -> JSONNumber? {
        guard let value = value(name) else { return nil }
        let place = path(of: name)
        guard case .number(let number) = value else {
            faults.add(.wrongType, at: place, "\(name) must be an integer, not \(value.kind)")
            return nil
        }
        switch number {
        case .double, .bigDouble:
            faults.add(
                .wrongType,
                at: place,
                "\(name) must be an integer, written without point or exponent"
            )
            return nil
        case .bigInteger:
            faults.add(.outOfRange, at: place, "\(name) does not fit 64 bits; write a smaller one")
            return nil
        case .integer(let integer):
            if let minimum, integer < minimum {
                faults.add(.outOfRange, at: place, "\(name) must be \(minimum) or more")
                return nil
            }
            return number
        case .unsigned: return number
        }
    }

    /// Any number that 64 bits hold, within `bounds` where they are given.
    func number(
        _ name: String,
        in bounds: ClosedRange<Double>? = nil,
        _ faults: inout FaultList
    ) -> JSONNumber? {
        guard let value = value(name) else { return nil }
        let place = path(of: name)
        guard case .number(let number) = value else {
            faults.add(.wrongType, at: place, "\(name) must be a number, not \(value.kind)")
            return nil
        }
        if let bounds, !bounds.contains(number.doubleValue) {
            let range = "\(Int(bounds.lowerBound)) to \(Int(bounds.upperBound))"
            faults.add(.outOfRange, at: place, "\(name) must be from \(range)")
            return nil
        }
        guard number.isRepresentable else {
            faults.add(.outOfRange, at: place, "\(name) does not fit 64 bits; write a smaller one")
            return nil
        }
        return number
    }

    /// A flag: 1 and true are on, 0 and false are off (contract 11 `c-flags`).
    func flag(_ name: String, _ faults: inout FaultList) -> Bool? {
        switch value(name) {
        case nil: return nil
        case .bool(let isOn): return isOn
        case .number(.integer(0)): return false
        case .number(.integer(1)): return true
        case .number:
            faults.add(.outOfRange, at: path(of: name), "\(name) must be 1 or 0")
        case .some(let value):
            faults.add(.wrongType, at: path(of: name), "\(name) must be 1 or 0, not \(value.kind)")
        }
        return nil
    }

    /// One of a few words.
    func choice(_ name: String, of words: [String], _ faults: inout FaultList) -> String? {
        guard let text = string(name, &faults) else { return nil }
        if let word = words.first(where: { $0.hasSameBytes(as: text) }) { return word }
        var message = "\(name) must be \(Self.list(words))"
        if let nearest = NearestName.find(text, in: words) {
            message = "\(name) has no value \"\(text)\"; did you mean \"\(nearest)\"?"
        }
        faults.add(.invalidEnum, at: path(of: name), message)
        return nil
    }

    func strings(_ name: String, _ faults: inout FaultList) -> [String]? {
        guard let value = value(name) else { return nil }
        let place = path(of: name)
        guard case .array(let elements) = value else {
            let message = "\(name) must be an array of strings, not \(value.kind)"
            faults.add(.wrongType, at: place, message)
            return nil
        }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            if case .string(let text) = element {
                texts.append(text)
            } else {
                let message = "\(name) holds strings only; this one is \(element.kind)"
                faults.add(.wrongType, at: "\(place)[\(index)]", message)
            }
        }
        return texts.count == elements.count ? texts : nil
    }

    /// Adds `out_of_range` for each number within `value` that cannot be sent as written.
    static func checkNumbers(in value: JSONValue, at path: String, _ faults: inout FaultList) {
        switch value {
        case .number(let number) where !number.isRepresentable:
            let message = "the number does not fit 64 bits; write a smaller one, or a string"
            faults.add(.outOfRange, at: path, message)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                checkNumbers(in: element, at: "\(path)[\(index)]", &faults)
            }
        case .object(let object):
            let reader = FieldReader(object, at: path)
            for member in object.members {
                checkNumbers(in: member.value, at: reader.path(of: member.key), &faults)
            }
        default: break
        }
    }

    /// Joins words as a sentence does: `a, b or c`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) or \(last)"
    }
}
