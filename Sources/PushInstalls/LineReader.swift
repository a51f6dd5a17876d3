import Glibc

/// Cuts a descriptor's bytes into lines inside one fixed buffer.
///
/// Nothing is allocated after `init`. A line longer than ``longestLine`` is stepped over and
/// reported. The current line may be extended by the next ones, for a CSV field with line breaks.
struct LineReader: ~Copyable {
    /// The most bytes a line may have, its line break not counted.
    static let longestLine = 1 << 20
    /// A line that goes on for longer has no end: it is a device, say.
    private static let mostSkipped = 1 << 28
    /// The readable bytes behind every line, which a vectorised parser may look at.
    static let padding = 64

    enum Step { case line, overlong, end }

    private enum Scan { case found(Int), overlong, end }

    private static let readBytes = 1 << 18
    private static let capacity = longestLine + 2 + readBytes
    private static let newline: Int32 = 0x0A

    let name: String
    /// The number of the current record's first line, from 1.
    private(set) var lineNumber = 0

    private let descriptor: Int32
    private let base: UnsafeMutablePointer<UInt8>
    private var filled = 0
    private var isAtEnd = false
    // The current record: where it starts, where it ends without its line break, what follows it.
    private var start = 0
    private var end = 0
    private var next = 0
    private var nextLineNumber = 1
    // The same for the record's first line alone, relative to `start`.
    private var firstLineNext = 0

    /// Reads from a descriptor that stays the caller's; `name` is for error texts.
    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        base = .allocate(capacity: Self.capacity + Self.padding)
        base.initialize(repeating: 0, count: Self.capacity + Self.padding)
    }

    deinit { base.deallocate() }

    /// The bytes of the current record, valid until the next mutating call.
    var line: UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(start: base + start, count: end - start)
    }

    /// The first bytes of the file, up to 64, without stepping over them.
    mutating func prefix() throws(InstallFileError) -> UnsafeRawBufferPointer {
        let wanted = 64
        while filled < wanted, !isAtEnd { try refill() }
        return UnsafeRawBufferPointer(start: base, count: min(wanted, filled))
    }

    /// Steps over bytes at the start of the file, a byte order mark.
    mutating func skip(_ count: Int) { next = min(next + count, filled) }

    /// Goes to the next line.
    mutating func advance() throws(InstallFileError) -> Step {
        start = next
        end = next
        lineNumber = nextLineNumber
        switch try scan(from: 0) {
        case .found(let length):
            close(at: start + length)
        case .end:
            guard filled > start else { return .end }
            end = filled
            next = filled
        case .overlong:
            try skipLine()
            return .overlong
        }
        nextLineNumber &+= 1
        firstLineNext = next - start
        return .line
    }

    /// Adds the next line to the current record, with the line break between them.
    ///
    /// - Returns: Whether there was one and the record is not too long with it.
    mutating func extend() throws(InstallFileError) -> Bool {
        guard next > start, base[next - 1] == UInt8(ascii: "\n") else { return false }
        switch try scan(from: next - start) {
        case .found(let length):
            close(at: start + length)
        case .end:
            guard filled > next else { return false }
            end = filled
            next = filled
        case .overlong:
            return false
        }
        nextLineNumber &+= 1
        return true
    }

    /// Gives up the lines that ``extend()`` added: they will come again as lines of their own.
    mutating func shrinkToFirstLine() {
        next = start + firstLineNext
        nextLineNumber = lineNumber + 1
    }

    /// Ends the record at a line feed and leaves out a carriage return before it.
    private mutating func close(at lineFeed: Int) {
        next = lineFeed + 1
        end = lineFeed
        if end > start, base[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    }

    /// Looks for a line feed from an offset into the current record on.
    private mutating func scan(from offset: Int) throws(InstallFileError) -> Scan {
        var searched = offset
        while true {
            let from = base + start + searched
            if let hit = memchr(from, Self.newline, filled - start - searched) {
                let length = hit - UnsafeMutableRawPointer(base + start)
                return length <= Self.longestLine ? .found(length) : .overlong
            }
            searched = filled - start
            if searched > Self.longestLine { return .overlong }
            if isAtEnd { return .end }
            try refill()
        }
    }

    /// Drops the current line, which is too long to be kept.
    private mutating func skipLine() throws(InstallFileError) {
        nextLineNumber &+= 1
        var skipped = 0
        while true {
            let from = base + start
            if let hit = memchr(from, Self.newline, filled - start) {
                start += hit - UnsafeMutableRawPointer(from) + 1
                break
            }
            skipped += filled - start
            guard skipped <= Self.mostSkipped else {
                throw .unsupported(
                    name: name,
                    form: "without a line break for \(Self.mostSkipped >> 20) MiB",
                    mend: "give each install a line of its own"
                )
            }
            start = filled
            if isAtEnd { break }
            try refill()
        }
        next = start
        end = start
    }

    /// Moves the current record to the front and reads behind it.
    private mutating func refill() throws(InstallFileError) {
        if start > 0 {
            memmove(base, base + start, filled - start)
            filled -= start
            next -= start
            end -= start
            start = 0
        }
        while true {
            let count = read(descriptor, base + filled, min(Self.readBytes, Self.capacity - filled))
            if count > 0 {
                filled += count
                return
            }
            if count == 0 {
                isAtEnd = true
                return
            }
            if errno != EINTR { throw .cannotRead(name: name, errorNumber: errno) }
        }
    }
}
