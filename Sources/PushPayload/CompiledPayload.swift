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

    private let languages: LanguageVariants
    private let usesAliases: Bool
    private let programs: PayloadPrograms

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
        var writers: [PayloadWriter] = []
        for variant in 0..<message.languages.count {
            for hasInstallBadge in message.takesInstallBadge ? [false, true] : [false] {
                var writer = PayloadWriter()
                message.write(variant: variant, hasInstallBadge: hasInstallBadge, to: &writer)
                writers.append(writer)
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

    /// The exact length of one install's body.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - badge: The install's badge, if it has one.
    ///   - uid: The install's user id in UTF-8; empty for none.
    /// - Returns: The length in bytes.
    public func bodySize(variant: Int, badge: Int64?, uid: RawSpan) -> Int {
        let program = programIndex(variant, hasInstallBadge: badge != nil)
        let uidLength = programs.hasUID(program) ? JSONText.escapedByteCount(of: uid) : 0
        let badgeLength = badge.map { DecimalText.length(of: $0) } ?? 0
        return programs.length(of: program, badgeLength: badgeLength, uidLength: uidLength)
    }

    /// The length of the longest body that an audience can get.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - widestBadge: The largest badge of the audience; nil where no install has one.
    ///   - longestUID: The longest uid of the audience in bytes, its JSON escapes counted.
    /// - Returns: The length in bytes.
    public func maximumBodySize(variant: Int, widestBadge: Int64?, longestUID: Int) -> Int {
        let plain = programIndex(variant, hasInstallBadge: false)
        let length = programs.length(of: plain, badgeLength: 0, uidLength: longestUID)
        guard let widestBadge else { return length }
        let badged = programIndex(variant, hasInstallBadge: true)
        let badgeLength = DecimalText.length(of: widestBadge)
        return max(
            length,
            programs.length(of: badged, badgeLength: badgeLength, uidLength: longestUID)
        )
    }

    /// Checks every body against the limit of the push type (contract 6.1).
    ///
    /// - Parameters:
    ///   - widestBadge: The largest badge of the audience; nil where no install has one.
    ///   - longestUID: The longest uid of the audience in bytes, its JSON escapes counted.
    /// - Returns: One `payload_too_large` a language that does not fit, in the message's order.
    public func checkSizes(widestBadge: Int64? = nil, longestUID: Int = 0) -> [PayloadFault] {
        let limit = headers.pushType.bodyLimit
        return (0..<variantCount).compactMap { variant in
            let size = maximumBodySize(
                variant: variant,
                widestBadge: widestBadge,
                longestUID: longestUID
            )
            guard size > limit else { return nil }
            let language = languages.language(of: variant).map { " in \($0.written)" } ?? ""
            let message =
                "the body\(language) has \(size) bytes, and APNs takes \(limit) for "
                + "\(headers.pushType.rawValue) pushes; shorten it by \(size - limit)"
            return PayloadFault(
                code: .payloadTooLarge,
                path: languages.path(of: variant),
                message: message
            )
        }
    }

    /// Appends one install's body to `output`.
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
        let program = programIndex(variant, hasInstallBadge: badge != nil)
        let size = bodySize(variant: variant, badge: badge, uid: uid)
        precondition(size <= output.freeCapacity, "no room for a body of \(size) bytes")
        output.withUnsafeMutableBytes { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            programs.write(program, badge: badge ?? 0, uid: uid, to: base + initialized)
            initialized += size
        }
    }

    /// The program of a body: with two layouts, the second has the install's badge in its place.
    private func programIndex(_ variant: Int, hasInstallBadge: Bool) -> Int {
        precondition(variant >= 0 && variant < variantCount, "the message has no body \(variant)")
        if !takesInstallBadge { return variant }
        return variant * 2 + (hasInstallBadge ? 1 : 0)
    }
}
