/// The header block of a connection's requests, which differ in the path alone.
///
/// The first request teaches the peer's HPACK table every field that profile and table size allow.
/// From then on a block is `prefix`, the path as a literal without indexing, `suffix`, both ready
/// made, the `apns-id` where each request has its own, and the `content-length`. Whatever changes the table makes the template unsettled until the next block taught it.
struct WireRequestTemplate: ~Copyable {
    /// How a field is written.
    private enum Policy {
        /// From the table, and taught where it is not there.
        case indexed
        /// The name from the table, the value as a literal without indexing; taught once.
        case nameIndexed
        /// A literal without indexing.
        case literal
    }

    private struct Field {
        let name: [UInt8]
        var value: [UInt8]
        let policy: Policy
        /// The static table's index; 0 for none.
        let staticIndex: Int
        let isWholeInStaticTable: Bool
        /// Whether the table can hold the field beside the others that it holds.
        var isTeachable = false
        /// The entry's number in the encoder's table; 0 before the field was taught.
        var entry = 0

        init(_ name: String, _ value: String, _ policy: Policy) {
            self.name = Array(name.utf8)
            self.value = Array(value.utf8)
            self.policy = policy
            let found = HPACKStaticTable.find(name: self.name, value: self.value)
            staticIndex = found?.index ?? 0
            isWholeInStaticTable = found?.isWhole ?? false
        }

        var size: Int { name.count + value.count + 32 }
        /// Whether the table should hold it.
        var isWanted: Bool { policy != .literal && !isWholeInStaticTable }
    }

    static let pathStart: StaticString = "/3/device/"
    /// A literal without indexing whose name is the static table's entry 4.
    private static let pathByte: UInt8 = 0x04

    private var profile: RequestProfile
    private var leading: [Field] = []
    private var trailing: [Field] = []
    /// Where in `trailing` the authorization field stands, or would stand.
    private var authorizationIndex = 0
    private var teachableFor = -1
    /// Bytes of the id that each request carries; 0 where they carry none of their own.
    ///
    /// The id is the last of `trailing`, so that nothing but the length follows its bytes.
    let idCount: Int
    /// Whether ``prefix`` and ``suffix`` say what the next block has to say.
    private(set) var isSettled = false
    private(set) var prefix = WireBuffer(capacity: 256)
    private(set) var suffix = WireBuffer(capacity: 1024)

    init(profile: RequestProfile) {
        self.profile = profile
        idCount = profile.hasOwnIDs ? RequestProfile.idByteCount : 0
        leading = [
            Field(":method", "POST", .indexed), Field(":scheme", profile.scheme, .indexed),
        ]
        if !profile.authority.isEmpty {
            trailing.append(Field(":authority", profile.authority, .indexed))
        }
        authorizationIndex = trailing.count
        if let value = profile.authorization { trailing.append(authorizationField(value)) }
        for field in profile.constantFields {
            trailing.append(Field(field.name, field.value, policy(forName: field.name)))
        }
        if idCount > 0 {
            let any = String(repeating: "0", count: idCount)
            trailing.append(Field(RequestProfile.idName, any, .nameIndexed))
        }
    }

    private func policy(forName name: String) -> Policy {
        switch name {
        case RequestProfile.idName: .nameIndexed
        case "apns-expiration", "apns-collapse-id":
            profile.indexing == .strict ? .nameIndexed : .indexed
        default: .indexed
        }
    }

    private func authorizationField(_ value: String) -> Field {
        Field("authorization", value, profile.indexing == .strict ? .literal : .indexed)
    }

    /// Replaces the authorization value; the next block teaches it.
    mutating func setAuthorization(_ value: String?) {
        let had = profile.authorization != nil
        profile.authorization = value
        if had { trailing.remove(at: authorizationIndex) }
        if let value { trailing.insert(authorizationField(value), at: authorizationIndex) }
        unsettle()
    }

    /// Says that the encoder's table changed.
    mutating func unsettle() {
        isSettled = false
        teachableFor = -1
    }

    /// Writes a whole block the long way: size updates, new fields, then whatever is known.
    mutating func write(
        token: UnsafeRawBufferPointer,
        id: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        bodyCount: Int,
        to block: inout WireBuffer,
        table: inout HPACKEncoderTable
    ) {
        if idCount > 0 { trailing[trailing.count - 1].value = Array(id) }
        if table.needsSizeUpdate { table.writeSizeUpdates(to: &block) }
        if teachableFor != table.capacity { chooseTeachable(capacity: table.capacity) }
        for index in leading.indices { Self.write(&leading[index], to: &block, table: &table) }
        block.append(Self.pathByte)
        block.appendInteger(
            Self.pathStart.utf8CodeUnitCount + token.count,
            prefix: 7,
            first: 0
        )
        block.append(Self.pathStart.utf8Start, count: Self.pathStart.utf8CodeUnitCount)
        block.append(token)
        for index in trailing.indices { Self.write(&trailing[index], to: &block, table: &table) }
        WireContentLength.append(bodyCount, to: &block)
        settle(&table)
    }

    /// Picks what the table shall hold where it cannot hold all: the largest fields first, since
    /// they save the most.
    private mutating func chooseTeachable(capacity: Int) {
        teachableFor = capacity
        var room = capacity
        var order: [(size: Int, isLeading: Bool, index: Int)] = []
        for (index, field) in leading.enumerated() where field.isWanted {
            order.append((field.size, true, index))
        }
        for (index, field) in trailing.enumerated() where field.isWanted {
            order.append((field.size, false, index))
        }
        order.sort { $0.size > $1.size }
        for index in leading.indices { leading[index].isTeachable = false }
        for index in trailing.indices { trailing[index].isTeachable = false }
        for choice in order where choice.size <= room {
            room -= choice.size
            if choice.isLeading {
                leading[choice.index].isTeachable = true
            } else {
                trailing[choice.index].isTeachable = true
            }
        }
    }

    private static func write(
        _ field: inout Field,
        to block: inout WireBuffer,
        table: inout HPACKEncoderTable
    ) {
        if field.isWholeInStaticTable {
            block.appendInteger(field.staticIndex, prefix: 7, first: 0x80)
            return
        }
        let known = table.index(of: field.entry)
        if let known, field.policy == .indexed {
            block.appendInteger(known, prefix: 7, first: 0x80)
            return
        }
        let nameIndex = field.staticIndex > 0 ? field.staticIndex : known ?? 0
        if known == nil, field.isTeachable {
            block.appendInteger(nameIndex, prefix: 6, first: 0x40)
            field.entry = table.insert(size: field.size)
        } else {
            block.appendInteger(nameIndex, prefix: 4, first: 0)
        }
        if nameIndex == 0 { block.appendString(field.name) }
        block.appendString(field.value)
    }

    /// Makes `prefix` and `suffix` where all that is teachable stands in the table.
    private mutating func settle(_ table: inout HPACKEncoderTable) {
        for field in leading where field.isTeachable {
            guard table.index(of: field.entry) != nil else { return }
        }
        for field in trailing where field.isTeachable {
            guard table.index(of: field.entry) != nil else { return }
        }
        prefix.removeAll()
        suffix.removeAll()
        for index in leading.indices { Self.write(&leading[index], to: &prefix, table: &table) }
        prefix.append(Self.pathByte)
        let constants = idCount > 0 ? trailing.dropLast().indices : trailing.indices
        for index in constants { Self.write(&trailing[index], to: &suffix, table: &table) }
        if idCount > 0 { writeIDHead(table) }
        isSettled = true
    }

    /// Ends `suffix` with all of the id's field but the id.
    private mutating func writeIDHead(_ table: borrowing HPACKEncoderTable) {
        let field = trailing[trailing.count - 1]
        let nameIndex = table.index(of: field.entry) ?? 0
        suffix.appendInteger(nameIndex, prefix: 4, first: 0)
        if nameIndex == 0 { suffix.appendString(field.name) }
        suffix.appendInteger(idCount, prefix: 7, first: 0)
    }
}
