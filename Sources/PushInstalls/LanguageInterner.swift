import Glibc
import PushModel

/// Turns a language's bytes into its index in a table without making a `String` each time.
///
/// Files name few languages, mostly the same one several times in a row: the last one is tried
/// first, then a hash table over bytes; only a new language becomes a `String`.
struct LanguageInterner {
    private struct Entry {
        var hash: UInt64
        var start: Int
        var count: Int
        var index: UInt16
    }

    private let table: InstallTable
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    // Places in `entries` plus one; 0 is free. The size is a power of two.
    private var places = [UInt32](repeating: 0, count: 64)
    private var last = -1

    init(table: InstallTable) { self.table = table }

    /// The index of a language; `text` is valid UTF-8.
    mutating func index(of text: UnsafeRawBufferPointer) throws(LineProblem) -> UInt16 {
        guard let base = text.baseAddress, !text.isEmpty else { return 0 }
        if last >= 0, matches(entries[last], base, text.count) { return entries[last].index }
        let hash = Self.hash(text)
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] != 0 {
            let entry = Int(places[place]) - 1
            if entries[entry].hash == hash, matches(entries[entry], base, text.count) {
                last = entry
                return entries[entry].index
            }
            place = (place + 1) & (places.count - 1)
        }
        guard let index = try? table.intern(language: String(decoding: text, as: UTF8.self)) else {
            throw .tooManyLanguages
        }
        last = entries.count
        entries.append(Entry(hash: hash, start: bytes.count, count: text.count, index: index))
        bytes.append(contentsOf: text)
        places[place] = UInt32(entries.count)
        if entries.count * 2 > places.count { grow() }
        return index
    }

    private func matches(_ entry: Entry, _ base: UnsafeRawPointer, _ count: Int) -> Bool {
        guard entry.count == count else { return false }
        return bytes.withUnsafeBytes { known in
            known.baseAddress.map { memcmp($0 + entry.start, base, count) == 0 } ?? false
        }
    }

    private mutating func grow() {
        places = [UInt32](repeating: 0, count: places.count * 2)
        for (number, entry) in entries.enumerated() {
            var place = Int(truncatingIfNeeded: entry.hash) & (places.count - 1)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(number + 1)
        }
    }

    private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return SplitMix64.mix(hash)
    }
}
