extension Workload {
    /// A value that has to be the same for two results to be compared.
    public struct Field: Equatable, Sendable {
        /// The path in the result file, less `workload.`.
        public let name: String
        /// The value as text; nil where it is absent.
        public let value: String?
    }

    /// Settings that are kept for people to read and say nothing of what was measured: the name of
    /// a scenario is one, as its content is in the other fields.
    static let descriptiveSettings: Set = ["scenario"]

    /// All that ``hash`` covers, in its order.
    var identity: [Field] {
        var fields = [
            Field(name: "dialect", value: dialect),
            Field(name: "message", value: message),
            Field(name: "engine", value: engine),
            Field(name: "encryption", value: encryption),
            Field(name: "installs", value: "\(installs)"),
        ]
        for (language, weight) in languages.sorted(by: { $0.key < $1.key }) {
            fields.append(Field(name: "language.\(language)", value: "\(weight)"))
        }
        fields += [
            Field(name: "tls", value: tls),
            Field(name: "auth", value: auth),
            Field(name: "connections", value: "\(connections)"),
            Field(name: "streams", value: "\(streams)"),
            Field(name: "mode", value: mode),
            Field(name: "rate", value: rate.map { "\($0)" }),
            Field(name: "arrivals", value: arrivals),
        ]
        let measured = (settings ?? [:]).filter { !Self.descriptiveSettings.contains($0.key) }
        for (name, value) in measured.sorted(by: { $0.key < $1.key }) {
            fields.append(Field(name: "setting.\(name)", value: value))
        }
        return fields
    }

    /// The fields in which another workload is not this one.
    ///
    /// - Parameter other: Another workload.
    /// - Returns: One entry a field, in the order of the hash; none for equal workloads.
    public func differences(from other: Workload) -> [FieldDifference] {
        FieldDifference.between(
            identity.map { ($0.name, $0.value) },
            other.identity.map { ($0.name, $0.value) }
        )
    }
}

extension Machine {
    /// The fields that make up ``key``, in which another machine is not this one.
    ///
    /// - Parameter other: Another machine.
    /// - Returns: One entry a field; none where the keys are equal.
    public func differences(from other: Machine) -> [FieldDifference] {
        guard key != other.key else { return [] }
        let fields = [self, other].map { machine in
            [
                ("cpu", machine.cpu), ("cores", "\(machine.cores)"),
                ("memory", HumanFormat.bytes(Double(machine.memoryBytes))), ("os", machine.os),
            ]
        }
        let found = FieldDifference.between(fields[0], fields[1])
        return found.isEmpty ? [FieldDifference("key", base: key, new: other.key)] : found
    }

    /// What is not in ``key`` and still may change what is measured.
    ///
    /// - Parameter other: Another machine.
    /// - Returns: One entry a field: kernel, governor and the control group's limit.
    public func environmentDifferences(from other: Machine) -> [FieldDifference] {
        let fields = [self, other].map { machine in
            [
                ("kernel", machine.kernel), ("governor", machine.governor),
                ("cgroupCPUs", machine.cgroupCPUs.map { "\($0)" }),
            ]
        }
        return FieldDifference.between(fields[0], fields[1])
    }
}
