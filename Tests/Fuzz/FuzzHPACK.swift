// Blocks one after another, with limits that change in between; the table never exceeds its size.

@testable import HTTP2

struct FuzzSink: HPACKSink {
    var total = 0

    mutating func take(_ field: HPACKField) {
        // Each byte is read, so that a range outside of memory shows.
        let name = UnsafeRawBufferPointer(start: field.nameBytes, count: field.nameCount)
        for byte in name { total &+= Int(byte) }
        for byte in field.value { total &+= Int(byte) }
        precondition(field.blockStart < field.blockEnd, "an empty representation")
        precondition(
            HPACKFieldName(field.nameBytes, count: field.nameCount) == field.name,
            "an entry's name changed"
        )
    }
}

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHPACK(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    var decoder = HPACKDecoder()
    var sink = FuzzSink()
    while !input.isEmpty {
        let control = input.byte()
        if control & 7 == 7 { decoder.setLimit([0, 64, 4096, 65_536][Int(control >> 6)]) }
        let block = input.bytes(Int(input.byte()))
        let isFine = block.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return true }
            do throws(WireFault) {
                try decoder.decode(base, count: raw.count, into: &sink)
            } catch {
                return false
            }
            return true
        }
        precondition(decoder.table.size <= decoder.table.capacity, "the table is too large")
        if !isFine { return 0 }
    }
    return 0
}
