// JSON texts of any shape: a message for each dialect, its bodies, what a device reads of them, and
// a personality of the mock.

@testable import MockAPNs
import PushPayload

/// Renders the bodies of a message and reads them as a device does.
private func read(_ payload: CompiledPayload) {
    for variant in 0..<payload.variantCount {
        for badge in [nil, 7, Int64.max] {
            guard let body = body(payload, variant, badge) else { continue }
            guard case .value(.object) = JSONDocument.parse(body) else {
                preconditionFailure("a body is no JSON object")
            }
            for dialect in Dialect.allCases { _ = try? PayloadReader(dialect: dialect).read(body) }
        }
    }
}

/// One body; nil where it is too long for what a push may hold.
private func body(_ payload: CompiledPayload, _ variant: Int, _ badge: Int64?) -> [UInt8]? {
    var output = OutputRawSpan(buffer: fuzzOutput, initializedCount: 0)
    let size = Array("a\"ü".utf8).withSpan { uid in
        let size = payload.bodySize(variant: variant, badge: badge, uid: uid)
        let most = payload.maximumBodySize(variant: variant, widestBadge: badge, longestUID: 5)
        precondition(size <= most, "a body is longer than the longest")
        guard size <= fuzzOutput.count else { return size }
        payload.render(variant: variant, badge: badge, uid: uid, into: &output)
        precondition(output.byteCount == size, "a body is not as long as told")
        return size
    }
    return size <= fuzzOutput.count ? Array(fuzzOutput[..<size]) : nil
}

/// Texts that are right, to be changed.
private let texts =
    Dialect.allCases.map(\.sampleMessage) + PersonalityReader.builtIn.map { Array($0.json.utf8) }

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.byte()
    let text = Int(input.byte()) % (texts.count + 1)
    let bytes = text == texts.count ? input.all() : input.changes(to: texts[text])
    var options = PayloadOptions()
    options.appleNumericFlags = choice & 2 == 2
    options.onesignal = choice & 4 == 4
    options.languageAliases = choice & 8 == 8
    options.extraFields = choice & 16 == 16 ? .nested : .flat
    options.characters = choice & 32 == 32 ? .graphemes : .scalars
    let source = MessageSource(
        bytes: bytes,
        isSimulatorFile: choice & 1 == 1,
        options: options,
        isStrict: choice & 64 == 64,
        topic: choice & 128 == 128 ? "com.example.app" : nil
    )
    let compilation = source.compile(hasInstallBadges: choice & 3 == 3)
    precondition(compilation.payload != nil || !compilation.faults.isEmpty, "refused without words")
    if let payload = compilation.payload { read(payload) }
    for dialect in Dialect.allCases { _ = try? PayloadReader(dialect: dialect).read(bytes) }
    var personality = PersonalityReader()
    _ = try? personality.read(bytes)
    bytes.withSpan { _ = ChannelSettings.read($0) }
    return 0
}
