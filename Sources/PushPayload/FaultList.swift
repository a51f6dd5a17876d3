/// The faults and warnings of one message, in the order of its fields.
struct FaultList: Sendable {
    private(set) var all: [PayloadFault] = []
    private let isStrict: Bool

    /// Makes an empty list; in a strict one every warning is an error.
    init(isStrict: Bool) { self.isStrict = isStrict }

    /// An empty list that is as strict as this one.
    var emptyCopy: FaultList { FaultList(isStrict: isStrict) }

    var hasErrors: Bool { all.contains { $0.severity == .error } }

    mutating func add(_ code: PayloadFaultCode, at path: String, _ message: String) {
        all.append(PayloadFault(code: code, path: path, message: message))
    }

    mutating func warn(_ code: PayloadFaultCode, at path: String, _ message: String) {
        all.append(
            PayloadFault(
                code: code,
                path: path,
                message: message,
                severity: isStrict ? .error : .warning
            )
        )
    }

    mutating func append(_ other: FaultList) { all += other.all }

    mutating func append(_ faults: [PayloadFault]) { all += faults }
}
