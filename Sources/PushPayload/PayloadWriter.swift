/// A place in a body that each install fills with a value of its own.
enum PayloadSlot: UInt8, Sendable {
    /// The install's badge, in digits.
    case badge
    /// The install's user id, escaped, without quotes.
    case uid
}

/// Writes one layout of a body: constant bytes, already escaped, and slots between them.
///
/// Commas are put where they belong; the caller's calls must nest as JSON does.
struct PayloadWriter {
    /// A slot, and the number of constant bytes before it.
    struct PlacedSlot {
        var offset: Int
        var slot: PayloadSlot
    }

    /// The constant bytes, all one behind the other.
    private(set) var bytes: [UInt8] = []
    /// The slots in the order of the body.
    private(set) var slots: [PlacedSlot] = []
    private var needsComma = false

    mutating func beginObject() { open(UInt8(ascii: "{")) }

    mutating func endObject() { close(UInt8(ascii: "}")) }

    mutating func beginArray() { open(UInt8(ascii: "[")) }

    mutating func endArray() { close(UInt8(ascii: "]")) }

    mutating func key(_ key: String) {
        separate()
        JSONText.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func value(_ value: JSONValue) {
        separate()
        JSONText.append(value, to: &bytes)
        needsComma = true
    }

    mutating func string(_ text: String) { value(.string(text)) }

    mutating func integer(_ number: Int64) { value(.number(.integer(number))) }

    mutating func bool(_ isTrue: Bool) { value(.bool(isTrue)) }

    /// A key with a text under it.
    mutating func member(_ key: String, _ text: String) {
        self.key(key)
        string(text)
    }

    /// The member `badge`: the install's where there is a slot for it, else the message's if any.
    mutating func badge(_ badge: JSONNumber?, orSlot hasInstallBadge: Bool) {
        guard hasInstallBadge || badge != nil else { return }
        key("badge")
        if hasInstallBadge {
            badgeSlot()
        } else if let badge {
            value(.number(badge))
        }
    }

    /// A number that each install has for itself.
    mutating func badgeSlot() {
        separate()
        slots.append(PlacedSlot(offset: bytes.count, slot: .badge))
        needsComma = true
    }

    /// A string that each install has for itself.
    mutating func uidSlot() {
        separate()
        bytes.append(UInt8(ascii: "\""))
        slots.append(PlacedSlot(offset: bytes.count, slot: .uid))
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A string that something else fills in: two quotes.
    ///
    /// - Returns: The number of constant bytes before its text.
    mutating func hole() -> Int {
        string("")
        return bytes.count - 1
    }

    /// The part of what was written from one number of constant bytes to another.
    func part(_ range: Range<Int>) -> PayloadWriter {
        var part = PayloadWriter()
        part.bytes = Array(bytes[range])
        part.slots = slots.filter { range.contains($0.offset) }
            .map { PlacedSlot(offset: $0.offset - range.lowerBound, slot: $0.slot) }
        return part
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}
