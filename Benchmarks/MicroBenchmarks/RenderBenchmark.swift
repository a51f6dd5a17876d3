import PushPayload

/// What one body costs once its message is compiled (design 3.2).
enum RenderBenchmark {
    /// One benchmark a dialect, over all languages of its sample message.
    static let all = Dialect.allCases.map { dialect in
        MicroBenchmark(
            name: "render \(dialect.rawValue)",
            unit: "render",
            operations: 1_000_000
        ) {
            let compilation = MessageSource(bytes: dialect.sampleMessage).compile()
            guard let payload = compilation.payload else {
                throw RenderBenchmarkError.refused(compilation.faults)
            }
            return { operations in render(payload, operations) }
        }
    }

    /// Renders into a slab of many bodies, as a render queue does; every other install has a badge.
    private static func render(_ payload: CompiledPayload, _ operations: Int) -> Int {
        let slabBytes = 256 * 4096
        let slab = UnsafeMutableRawBufferPointer.allocate(byteCount: slabBytes, alignment: 64)
        defer { slab.deallocate() }
        let uid = Array("0055g00000AbCdEAAV".utf8)
        let variants = payload.variantCount
        var variant = 0
        var total = 0
        var done = 0
        while done < operations {
            var output = OutputRawSpan(buffer: slab, initializedCount: 0)
            while done < operations, output.freeCapacity >= 4096 {
                payload.render(
                    variant: variant,
                    badge: done & 1 == 0 ? nil : Int64(done & 63),
                    uid: uid.span.bytes,
                    into: &output
                )
                variant = variant + 1 == variants ? 0 : variant + 1
                done += 1
            }
            total &+= output.finalize(for: slab)
        }
        return total
    }
}

/// Why a render benchmark cannot run.
enum RenderBenchmarkError: Error, CustomStringConvertible {
    /// The sample message does not compile.
    case refused([PayloadFault])

    var description: String {
        switch self {
        case .refused(let faults): "the sample message is refused: \(faults)"
        }
    }
}
