/// What a tap on a push of Mapp opens, in the order of contract 6.4.
enum MappAction: String, CaseIterable, Sendable {
    case deepLink
    case landingPage
    case landingPageInternal
    case store
    case inbox

    static let names = allCases.map(\.rawValue)

    /// The key in the body (contract 4, 11 `c-mapp-actions`).
    var wireKey: String {
        switch self {
        case .deepLink: "apx_dpl"
        case .landingPage: "apx_url"
        case .landingPageInternal: "apx_url_internal"
        case .store: "apx_aid"
        case .inbox: "apx_inbox"
        }
    }
}

/// An action and what it opens.
struct MappTarget: Sendable {
    var action: MappAction
    var value: String

    /// Reads the field `action`, an object with one of the actions.
    static func read(from reader: FieldReader, _ faults: inout FaultList) -> MappTarget? {
        let name = "action"
        guard let object = reader.object(name, &faults) else { return nil }
        let actionReader = FieldReader(object, at: reader.path(of: name))
        var targets: [MappTarget] = []
        var given = 0
        for action in MappAction.allCases where actionReader.value(action.rawValue) != nil {
            given += 1
            if let value = actionReader.string(action.rawValue, &faults) {
                targets.append(MappTarget(action: action, value: value))
            }
        }
        if given > 1 {
            let message =
                "a push opens one thing; keep one of \(FieldReader.list(MappAction.names))"
            faults.add(.multipleActions, at: actionReader.path, message)
        }
        actionReader.warnUnknown(known: MappAction.names, &faults)
        return targets.first
    }
}

/// A button's two actions, as they are sent (contract 6.4, 11 `c-mapp-buttons`).
struct MappButton: Sendable {
    private static let most = 2
    /// Another name of `landingPage`.
    private static let urlName = "url"
    private static let backgroundNames = ["name", "todo", "type", "value"]

    private var foreground: MappTarget?
    private var background: [JSONObject.Member]?

    /// Reads the field `buttons`.
    static func read(from reader: FieldReader, _ faults: inout FaultList) -> [MappButton] {
        let name = "buttons"
        guard let value = reader.value(name) else { return [] }
        let place = reader.path(of: name)
        guard case .array(let elements) = value else {
            faults.add(.wrongType, at: place, "buttons must be an array, not \(value.kind)")
            return []
        }
        if elements.count > most {
            let message = "a push has \(most) buttons at most; remove \(elements.count - most)"
            faults.add(.tooManyButtons, at: place, message)
        }
        return elements.enumerated().map { index, element in
            MappButton(element, at: "\(place)[\(index)]", &faults)
        }
    }

    private init(_ value: JSONValue, at path: String, _ faults: inout FaultList) {
        guard case .object(let object) = value else {
            let message = "a button must be an object with fg or bg, not \(value.kind)"
            faults.add(.invalidButton, at: path, message)
            return
        }
        for member in object.members where member.key != "fg" && member.key != "bg" {
            let message = "a button has fg and bg alone; remove \(member.key)"
            faults.add(.invalidButton, at: "\(path).\(member.key)", message)
        }
        let reader = FieldReader(object, at: path)
        foreground = Self.foreground(from: reader, &faults)
        background = Self.background(from: reader, &faults)
    }

    /// The object of a part; nil with a fault where it is something else.
    private static func part(
        _ name: String,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> FieldReader? {
        switch reader.value(name) {
        case nil: return nil
        case .object(let object): return FieldReader(object, at: reader.path(of: name))
        case .some(let value):
            let message = "\(name) must be an object, not \(value.kind)"
            faults.add(.invalidButton, at: reader.path(of: name), message)
            return nil
        }
    }

    private static func foreground(
        from button: FieldReader,
        _ faults: inout FaultList
    ) -> MappTarget? {
        guard let reader = part("fg", from: button, &faults) else { return nil }
        let names = MappAction.names + [urlName]
        let given = reader.object.members.filter { $0.value != .null }
        guard given.count == 1 else {
            let message = "fg opens one thing; give one of \(FieldReader.list(names))"
            faults.add(.invalidButton, at: reader.path, message)
            return nil
        }
        let name = given[0].key
        let place = reader.path(of: name)
        let action = name == urlName ? .landingPage : MappAction(rawValue: name)
        guard let action else {
            let message = "fg has no \(name); give one of \(FieldReader.list(names))"
            faults.add(.invalidButton, at: place, message)
            return nil
        }
        guard case .string(let value) = given[0].value else {
            let message = "\(name) must be a string, not \(given[0].value.kind)"
            faults.add(.invalidButton, at: place, message)
            return nil
        }
        return MappTarget(action: action, value: value)
    }

    private static func background(
        from button: FieldReader,
        _ faults: inout FaultList
    ) -> [JSONObject.Member]? {
        guard let reader = part("bg", from: button, &faults) else { return nil }
        for member in reader.object.members
        where !backgroundNames.contains(where: { $0.hasSameBytes(as: member.key) }) {
            let known = FieldReader.list(backgroundNames)
            let message = "bg has no \(member.key); its parts are \(known)"
            faults.add(.invalidButton, at: reader.path(of: member.key), message)
        }
        return backgroundNames.compactMap { name in
            guard let value = reader.value(name) else { return nil }
            FieldReader.checkNumbers(in: value, at: reader.path(of: name), &faults)
            return JSONObject.Member(key: name, value: value)
        }
    }

    func write(to writer: inout PayloadWriter) {
        writer.beginObject()
        if let foreground {
            writer.key("fgAction")
            writer.beginObject()
            writer.member(foreground.action.wireKey, foreground.value)
            writer.endObject()
        }
        if let background {
            writer.key("bgAction")
            writer.value(.object(JSONObject(background)))
        }
        writer.endObject()
    }
}
