import CNghttp2

/// A free-list allocator for one nghttp2 session.
///
/// nghttp2 allocates a handful of small blocks per stream and frees them a moment later. Freed
/// blocks are kept in lists by size, so that a session in steady state asks the system for
/// nothing. Lives at a fixed address; touched by its session's thread alone.
struct NGHTTP2Memory {
    /// Blocks are multiples of this many bytes.
    private static let step = 64
    /// Larger blocks go to the system and straight back.
    private static let largest = 1024
    /// Keeps the block's size, and the alignment of what follows.
    private static let headerSize = 16
    /// Free blocks that are kept for the streams to come, whatever their size.
    private static let keptCount = 128

    /// The first free block of each size; a free block starts with the address of the next.
    private var free = InlineArray<17, UnsafeMutableRawPointer?>(repeating: nil)
    /// How many blocks are free.
    private var freeCount = 0

    /// Whether more blocks are free than a few streams need.
    var hasMuchFree: Bool { freeCount > Self.keptCount }

    /// A new allocator without any memory.
    static func make() -> UnsafeMutablePointer<NGHTTP2Memory> {
        let memory = UnsafeMutablePointer<NGHTTP2Memory>.allocate(capacity: 1)
        memory.initialize(to: NGHTTP2Memory())
        return memory
    }

    /// Gives all free blocks back to the system, and the allocator itself.
    static func destroy(_ memory: UnsafeMutablePointer<NGHTTP2Memory>) {
        memory.pointee.freeAll()
        memory.deallocate()
    }

    /// Gives all free blocks back to the system.
    mutating func freeAll() {
        for index in free.indices {
            while let block = free[index] {
                free[index] = block.load(as: UnsafeMutableRawPointer?.self)
                block.deallocate()
            }
        }
        freeCount = 0
    }

    /// The table of functions through which nghttp2 allocates from `memory`.
    static func functions(for memory: UnsafeMutablePointer<NGHTTP2Memory>) -> nghttp2_mem {
        nghttp2_mem(
            mem_user_data: memory,
            malloc: allocateBlock,
            free: releaseBlock,
            calloc: allocateZeroedBlock,
            realloc: resizeBlock
        )
    }

    /// The size that follows the header of the block of which `payload` is the usable part.
    fileprivate static func capacity(of payload: UnsafeMutableRawPointer) -> Int {
        (payload - headerSize).load(as: Int.self)
    }

    fileprivate mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer {
        let capacity = (max(size, 1) + Self.step - 1) / Self.step * Self.step
        let block: UnsafeMutableRawPointer
        if capacity <= Self.largest, let head = free[capacity / Self.step] {
            free[capacity / Self.step] = head.load(as: UnsafeMutableRawPointer?.self)
            freeCount -= 1
            block = head
        } else {
            block = .allocate(byteCount: Self.headerSize + capacity, alignment: Self.headerSize)
        }
        block.storeBytes(of: capacity, as: Int.self)
        return block + Self.headerSize
    }

    fileprivate mutating func release(_ payload: UnsafeMutableRawPointer) {
        let capacity = Self.capacity(of: payload)
        let block = payload - Self.headerSize
        guard capacity <= Self.largest else {
            block.deallocate()
            return
        }
        block.storeBytes(of: free[capacity / Self.step], as: UnsafeMutableRawPointer?.self)
        free[capacity / Self.step] = block
        freeCount += 1
    }
}

private func memory(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<NGHTTP2Memory> {
    guard let context else { preconditionFailure("nghttp2 gave no allocator") }
    return context.assumingMemoryBound(to: NGHTTP2Memory.self)
}

private func allocateBlock(
    size: Int,
    context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    memory(context).pointee.allocate(size)
}

private func releaseBlock(block: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?) {
    guard let block else { return }
    memory(context).pointee.release(block)
}

private func allocateZeroedBlock(
    count: Int,
    size: Int,
    context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: size)
    if overflow { return nil }
    let block = memory(context).pointee.allocate(byteCount)
    block.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    return block
}

private func resizeBlock(
    block: UnsafeMutableRawPointer?,
    size: Int,
    context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    guard let block else { return memory(context).pointee.allocate(size) }
    let capacity = NGHTTP2Memory.capacity(of: block)
    if size <= capacity { return block }
    let larger = memory(context).pointee.allocate(size)
    larger.copyMemory(from: block, byteCount: capacity)
    memory(context).pointee.release(block)
    return larger
}
