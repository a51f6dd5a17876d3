import PushModel

/// A message compiled for sending: one body a language, as constant bytes and slots (design 3.2).
///
/// Immutable: any number of threads may render from it at once.
public final class CompiledPayload: @unchecked Sendable {
    // Safe to share: the programs' memory is written in init, and then only read until deinit.

    /// The dialect of the message.
    public let dialect: Dialect
    /// The header fields that the message asks for.
    public let headers: PushHeaders
    /// The languages of the bodies as the message spells them; empty where it has one for all.
    public let variantLanguages: [String]
    /// Whether the message shows nothing to an install without a badge of its own.
    ///
    /// A message like that compiles only where the audience brings badges.
    public let needsInstallBadge: Bool
    /// Whether an install's badge changes the body.
    public let takesInstallBadge: Bool

    /// Whether installs with a public key get an encrypted body (contract 6.3).
    public let isSealed: Bool

    let languages: LanguageVariants
    private let usesAliases: Bool
    let programs: PayloadPrograms
    /// The number of layouts that come before those of encrypted bodies.
    private let plainProgramCount: Int

    init(
        dialect: Dialect,
        message: any DialectMessage,
        headers: PushHeaders,
        usesAliases: Bool
    ) {
        self.dialect = dialect
        self.headers = headers
        self.usesAliases = usesAliases
        languages = message.languages
        variantLanguages = (0..<message.languages.count).compactMap {
            message.languages.language(of: $0)?.written
        }
        takesInstallBadge = message.takesInstallBadge
        needsInstallBadge = message.needsInstallBadge
        let badgeLayouts = message.takesInstallBadge ? [false, true] : [false]
        var writers: [PayloadWriter] = []
        func add(_ write: (inout PayloadWriter) -> Void) {
            var writer = PayloadWriter()
            write(&writer)
            writers.append(writer)
        }
        for variant in 0..<message.languages.count {
            for badge in badgeLayouts {
                add { message.write(variant: variant, hasInstallBadge: badge, to: &$0) }
            }
        }
        plainProgramCount = writers.count
        let sealable = message as? any SealableMessage
        isSealed = sealable != nil
        if let sealable {
            for variant in 0..<message.languages.count {
                for badge in badgeLayouts {
                    var writer = PayloadWriter()
                    let (secret, content) = sealable.writeEnvelope(
                        variant: variant,
                        hasInstallBadge: badge,
                        to: &writer
                    )
                    writers.append(writer.part(0..<secret))
                    writers.append(writer.part(secret..<content))
                    writers.append(writer.part(content..<writer.bytes.count))
                }
            }
            for variant in 0..<message.languages.count {
                add { sealable.writeContent(variant: variant, to: &$0) }
            }
        }
        programs = PayloadPrograms(writers)
    }

    /// The number of bodies, at least 1.
    public var variantCount: Int { languages.count }

    /// The body for a device's language (contract 5.4); resolve each distinct language once.
    ///
    /// - Parameter language: The language as the device spells it; nil or empty for none.
    /// - Returns: The index of the body.
    public func variant(forDeviceLanguage language: String?) -> Int {
        languages.variant(forDeviceLanguage: language, usesAliases: usesAliases)
    }

    /// The exact length of the body of one install without a key.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - badge: The install's badge, if it has one.
    ///   - uid: The install's user id in UTF-8; empty for none.
    /// - Returns: The length in bytes.
    public func bodySize(variant: Int, badge: Int64?, uid: RawSpan) -> Int {
        let program = plainProgram(variant, hasInstallBadge: badge != nil)
        let uidLength = programs.hasUID(program) ? JSONEscapes.byteCount(of: uid) : 0
        let badgeLength = badge.map { DecimalText.length(of: $0) } ?? 0
        return programs.length(of: program, badgeLength: badgeLength, uidLength: uidLength)
    }

    /// Appends the body of one install without a key to `output`.
    ///
    /// Allocates nothing and changes nothing but `output`.
    ///
    /// - Parameters:
    ///   - variant: The index of the body, as ``variant(forDeviceLanguage:)`` gave it.
    ///   - badge: The install's badge, if it has one: it wins over the message's.
    ///   - uid: The install's user id in UTF-8; empty for none.
    ///   - output: Where the body goes.
    /// - Precondition: `output` has room for ``bodySize(variant:badge:uid:)`` bytes.
    public func render(
        variant: Int,
        badge: Int64?,
        uid: RawSpan,
        into output: inout OutputRawSpan
    ) {
        let program = plainProgram(variant, hasInstallBadge: badge != nil)
        let size = bodySize(variant: variant, badge: badge, uid: uid)
        precondition(size <= output.freeCapacity, "no room for a body of \(size) bytes")
        output.withUnsafeMutableBytes { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            programs.write(program, badge: badge ?? 0, uid: uid, to: base + initialized)
            initialized += size
        }
    }

    /// The program of a plain body: with two layouts, the second has the install's badge in its place.
    func plainProgram(_ variant: Int, hasInstallBadge: Bool) -> Int {
        precondition(variant >= 0 && variant < variantCount, "the message has no body \(variant)")
        if !takesInstallBadge { return variant }
        return variant * 2 + (hasInstallBadge ? 1 : 0)
    }

    /// The programs of what stands around an encrypted content: before the secret, between the
    /// two, and behind the content.
    func envelopePrograms(
        _ variant: Int,
        hasInstallBadge: Bool
    ) -> (head: Int, separator: Int, tail: Int) {
        let layout = plainProgram(variant, hasInstallBadge: hasInstallBadge)
        let head = plainProgramCount + 3 * layout
        return (head, head + 1, head + 2)
    }

    /// The program of an encrypted content; it has no badge.
    func contentProgram(_ variant: Int) -> Int { 4 * plainProgramCount + variant }
}
