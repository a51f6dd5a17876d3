import HTTP2
import PushCrypto
import PushModel
import PushPayload

/// One loop's hand of a ``ContentCheck``: the memory it renders into, and the loop's counters.
///
/// Touched by the loop's thread alone.
final class ContentInspector {
    /// More private keys than this are not tried one by one on a secret that is not for its install.
    private static let mostKeysTried = 64

    private let check: ContentCheck
    private let counters: CounterBlock
    private var scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

    init(_ check: ContentCheck, counters: CounterBlock) {
        self.check = check
        self.counters = counters
    }

    deinit { scratch.deallocate() }

    /// Looks into a request that was accepted, and counts what is wrong.
    func inspect(_ request: borrowing RequestView) {
        let path = request.value(of: .path)
        let token = path.extracting(
            droppingFirst: min(path.byteCount, APNsRules.devicePath.utf8CodeUnitCount)
        )
        let found = faults(token: token, body: request.body)
        counters.add(.contentChecked)
        guard !found.isEmpty else { return }
        for fault in found.faults {
            counters.addFault(fault)
            check.keep(fault, token: token)
        }
    }

    /// What is wrong with a push.
    ///
    /// - Parameters:
    ///   - token: The digits of its device token.
    ///   - body: Its body.
    /// - Returns: The faults; empty where it is as it should be.
    func faults(token: RawSpan, body: RawSpan) -> ContentFaultSet {
        guard let expectation = check.expectation else { return faultsByReading(body) }
        guard let install = expectation.install(withToken: token) else {
            return ContentFaultSet(.unknownInstall)
        }
        let record = expectation.installs.record(at: install)
        var faults: ContentFaultSet
        if expectation.payload.isSealed, let key = record.key {
            faults = sealedFaults(body, record, key, expectation)
        } else {
            faults = plainFaults(body, record, expectation)
        }
        if let arrivals = check.arrivals, !arrivals.note(install) {
            faults.insert(.duplicateInstall)
        }
        return faults
    }

    // MARK: - Without an expectation

    private func faultsByReading(_ body: RawSpan) -> ContentFaultSet {
        guard case .value(.object(let payload)) = JSONDocument.parse(body.copied) else {
            return ContentFaultSet(.unreadable)
        }
        let dialect = check.dialect ?? Dialect(recognising: payload)
        do throws(PayloadRefusal) {
            let reader = PayloadReader(dialect: dialect, opener: check.opener)
            let reading = try reader.read(payload)
            guard let secret = reading.secretFingerprint else { return [] }
            return check.secrets.note(secret) ? [] : ContentFaultSet(.reusedSecret)
        } catch {
            return ContentFaultSet(Self.fault(ofCode: error.code))
        }
    }

    /// What a code of salesforce's SDK is here (contract 3.2).
    private static func fault(ofCode code: String) -> ContentFault {
        switch code {
        case "-1008": .noPrivateKey
        case "-1007", "-1009", "-1010", "-1011": .notDecryptable
        default: .unreadable
        }
    }

    // MARK: - Against an expectation

    private func plainFaults(
        _ body: RawSpan,
        _ record: InstallRecord,
        _ expectation: ContentExpectation
    ) -> ContentFaultSet {
        let variant = expectation.variant(of: record)
        switch matchingVariant(of: expectation, first: variant, { isPlain(body, $0, record) }) {
        case variant: return []
        case nil: return ContentFaultSet(.wrongText)
        default: return ContentFaultSet(.wrongLanguage)
        }
    }

    private func sealedFaults(
        _ body: RawSpan,
        _ record: InstallRecord,
        _ key: SealingKey,
        _ expectation: ContentExpectation
    ) -> ContentFaultSet {
        let payload = expectation.payload
        let variant = expectation.variant(of: record)
        var parts: SealedParts?
        let envelope = matchingVariant(of: expectation, first: variant) { candidate in
            parts = payload.sealedParts(of: body, variant: candidate, badge: record.badge)
            return parts != nil
        }
        guard let parts else {
            let plain = matchingVariant(of: expectation, first: variant) {
                isPlain(body, $0, record)
            }
            return ContentFaultSet(plain == nil ? .wrongText : .notEncrypted)
        }
        var faults: ContentFaultSet = envelope == variant ? [] : ContentFaultSet(.wrongLanguage)
        let privateKey = expectation.privateKey(of: key)
        guard let opened = open(body, parts, privateKey) else {
            faults.insert(.notDecryptable)
            return faults
        }
        if opened.keyIndex != privateKey { faults.insert(.wrongKey) }
        if opened.padding != key.padding { faults.insert(.wrongPadding) }
        if !check.secrets.note(opened.secretFingerprint) { faults.insert(.reusedSecret) }
        let content = matchingVariant(of: expectation, first: variant) {
            isContent(opened.plaintext.span.bytes, $0, record)
        }
        if content != variant { faults.insert(content == nil ? .wrongText : .wrongLanguage) }
        return faults
    }

    /// Opens a content with the install's key, else with whichever of a few keys fits.
    private func open(_ body: RawSpan, _ parts: SealedParts, _ privateKey: Int) -> OpenedContent? {
        guard let opener = check.opener else { return nil }
        let secret = body.extracting(parts.secret)
        let content = body.extracting(parts.content)
        if let opened = try? opener.open(secret: secret, content: content, keyIndex: privateKey) {
            return opened
        }
        guard opener.keyCount <= Self.mostKeysTried else { return nil }
        return try? opener.open(secret: secret, content: content)
    }

    /// The body for which something holds: the one that should be, else the first of the others.
    private func matchingVariant(
        of expectation: ContentExpectation,
        first: Int,
        _ holds: (Int) -> Bool
    ) -> Int? {
        if holds(first) { return first }
        return (0..<expectation.payload.variantCount).first { $0 != first && holds($0) }
    }

    private func isPlain(_ body: RawSpan, _ variant: Int, _ record: InstallRecord) -> Bool {
        guard let payload = check.expectation?.payload else { return false }
        let size = payload.bodySize(variant: variant, badge: record.badge, uid: record.uid)
        guard size == body.byteCount else { return false }
        let memory = memory(size)
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        payload.render(variant: variant, badge: record.badge, uid: record.uid, into: &output)
        return body.equals(Self.written(output.finalize(for: memory), of: memory))
    }

    private func isContent(_ plaintext: RawSpan, _ variant: Int, _ record: InstallRecord) -> Bool {
        guard let payload = check.expectation?.payload else { return false }
        let size = payload.contentSize(variant: variant, uid: record.uid)
        guard size == plaintext.byteCount else { return false }
        let memory = memory(size)
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        payload.renderContent(variant: variant, uid: record.uid, into: &output)
        return plaintext.equals(Self.written(output.finalize(for: memory), of: memory))
    }

    private static func written(
        _ count: Int,
        of memory: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[..<count])
    }

    /// Memory of at least so many bytes, kept for the next push.
    private func memory(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if scratch.count < count {
            scratch.deallocate()
            scratch = .allocate(byteCount: count * 2, alignment: 16)
        }
        return scratch
    }
}
