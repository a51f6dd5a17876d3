import PushModel

/// All bodies of a message, flattened: one buffer of constant bytes and plain-data segments.
///
/// A program is one layout of one body: its segments, each a run of constant bytes and the slot
/// behind it. Everything is written once in `init` and only read afterwards, by any thread.
struct PayloadPrograms: ~Copyable {
    /// A run of constant bytes and what stands behind it.
    private struct Segment {
        var offset: UInt32
        var length: UInt32
        /// Nil in the last segment of a program that ends with constant bytes.
        var slot: PayloadSlot?
    }

    private struct Program {
        var firstSegment: UInt32
        var segmentCount: UInt32
        var constantLength: UInt32
        var badgeSlots: UInt16
        var uidSlots: UInt16
    }

    private let constants: UnsafeMutableRawPointer
    private let segments: UnsafeMutablePointer<Segment>
    private let programs: UnsafeMutablePointer<Program>

    /// Lays the written bodies out; a program's index is its place in `writers`.
    init(_ writers: [PayloadWriter]) {
        let byteCount = writers.reduce(0) { $0 + $1.bytes.count }
        let segmentCount = writers.reduce(0) { $0 + $1.slots.count + 1 }
        constants = .allocate(byteCount: max(byteCount, 1), alignment: 64)
        segments = .allocate(capacity: max(segmentCount, 1))
        programs = .allocate(capacity: max(writers.count, 1))
        var byteOffset = 0
        var segment = 0
        for (index, writer) in writers.enumerated() {
            writer.bytes.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(start: constants + byteOffset, count: bytes.count)
                    .copyMemory(from: bytes)
            }
            let firstSegment = segment
            var start = 0
            func add(upTo end: Int, slot: PayloadSlot?) {
                (segments + segment).initialize(
                    to: Segment(
                        offset: UInt32(byteOffset + start),
                        length: UInt32(end - start),
                        slot: slot
                    )
                )
                segment += 1
                start = end
            }
            for placed in writer.slots { add(upTo: placed.offset, slot: placed.slot) }
            if start < writer.bytes.count { add(upTo: writer.bytes.count, slot: nil) }
            (programs + index).initialize(
                to: Program(
                    firstSegment: UInt32(firstSegment),
                    segmentCount: UInt32(segment - firstSegment),
                    constantLength: UInt32(writer.bytes.count),
                    badgeSlots: UInt16(writer.slots.count { $0.slot == .badge }),
                    uidSlots: UInt16(writer.slots.count { $0.slot == .uid })
                )
            )
            byteOffset += writer.bytes.count
        }
    }

    deinit {
        constants.deallocate()
        segments.deallocate()
        programs.deallocate()
    }

    /// The length of a body whose badge has `badgeLength` digits and whose uid, escaped, has
    /// `uidLength` bytes.
    func length(of program: Int, badgeLength: Int = 0, uidLength: Int = 0) -> Int {
        let program = programs[program]
        return Int(program.constantLength) + Int(program.badgeSlots) * badgeLength
            + Int(program.uidSlots) * uidLength
    }

    /// Whether the body holds the install's uid.
    func hasUID(_ program: Int) -> Bool { programs[program].uidSlots > 0 }

    /// The bytes of a program without slots.
    func constantBytes(of program: Int) -> UnsafeRawBufferPointer {
        let program = programs[program]
        guard program.segmentCount > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(
            start: constants + Int(segments[Int(program.firstSegment)].offset),
            count: Int(program.constantLength)
        )
    }

    /// Writes one body to `target`, which has room for its whole length.
    func write(
        _ program: Int,
        badge: Int64,
        uid: RawSpan,
        to target: UnsafeMutableRawPointer
    ) {
        let program = programs[program]
        var cursor = target
        let first = Int(program.firstSegment)
        for index in first..<first + Int(program.segmentCount) {
            let segment = segments[index]
            let length = Int(segment.length)
            cursor.copyMemory(from: constants + Int(segment.offset), byteCount: length)
            cursor += length
            switch segment.slot {
            case nil: break
            case .badge: cursor = DecimalText.write(badge, to: cursor)
            case .uid: cursor = Self.writeEscaped(uid, to: cursor)
            }
        }
    }

    private static func writeEscaped(
        _ text: RawSpan,
        to target: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        var cursor = target
        for offset in 0..<text.byteCount {
            let byte = text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if JSONEscapes.extraBytes(of: byte) == 0 {
                put(byte, to: &cursor)
                continue
            }
            put(UInt8(ascii: "\\"), to: &cursor)
            if let short = JSONEscapes.shortEscape(of: byte) {
                put(short, to: &cursor)
                continue
            }
            put(UInt8(ascii: "u"), to: &cursor)
            put(UInt8(ascii: "0"), to: &cursor)
            put(UInt8(ascii: "0"), to: &cursor)
            put(JSONText.hexDigit(byte >> 4), to: &cursor)
            put(JSONText.hexDigit(byte), to: &cursor)
        }
        return cursor
    }

    private static func put(_ byte: UInt8, to cursor: inout UnsafeMutableRawPointer) {
        cursor.storeBytes(of: byte, as: UInt8.self)
        cursor += 1
    }
}
