import PushModel

/// How long bodies get over an audience, and whether they fit (contract 6.1).
extension CompiledPayload {
    /// The length of the longest body that an audience can get.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - widestBadge: The largest badge of the audience; nil where no install has one.
    ///   - longestUID: The longest uid of the audience in bytes, its JSON escapes counted.
    ///   - shapes: The shapes that the audience gets; ``BodyShapes/sealed`` counts only where the
    ///     message ``isSealed``.
    /// - Returns: The length in bytes.
    public func maximumBodySize(
        variant: Int,
        widestBadge: Int64?,
        longestUID: Int,
        shapes: BodyShapes = .all
    ) -> Int {
        var most = 0
        // A badge may be shorter than the message's own, which installs without one get.
        let badges = widestBadge.map { [nil, $0] } ?? [nil]
        for badge in badges {
            let badgeLength = badge.map { DecimalText.length(of: $0) } ?? 0
            if shapes.contains(.plain) || !isSealed {
                let program = plainProgram(variant, hasInstallBadge: badge != nil)
                let length = programs.length(
                    of: program,
                    badgeLength: badgeLength,
                    uidLength: longestUID
                )
                most = max(most, length)
            }
            if shapes.contains(.sealed), isSealed {
                let length = sealedBodySize(
                    variant: variant,
                    badge: badge,
                    contentSize: contentSize(variant: variant, uidLength: longestUID)
                )
                most = max(most, length)
            }
        }
        return most
    }

    /// Checks every body against the limit of the push type (contract 6.1).
    ///
    /// - Parameters:
    ///   - widestBadge: The largest badge of the audience; nil where no install has one.
    ///   - longestUID: The longest uid of the audience in bytes, its JSON escapes counted.
    ///   - shapes: The shapes that the audience gets.
    /// - Returns: One `payload_too_large` a language that does not fit, in the message's order.
    public func checkSizes(
        widestBadge: Int64? = nil,
        longestUID: Int = 0,
        shapes: BodyShapes = .all
    ) -> [PayloadFault] {
        let limit = headers.pushType.bodyLimit
        return (0..<variantCount).compactMap { variant in
            let size = maximumBodySize(
                variant: variant,
                widestBadge: widestBadge,
                longestUID: longestUID,
                shapes: shapes
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

    /// What each body takes of the limit, for a look before anything is sent.
    ///
    /// - Parameters:
    ///   - widestBadge: The largest badge of the audience; nil where no install has one.
    ///   - longestUID: The longest uid of the audience in bytes, its JSON escapes counted.
    ///   - shapes: The shapes that the audience gets.
    /// - Returns: The report.
    public func sizeReport(
        widestBadge: Int64? = nil,
        longestUID: Int = 0,
        shapes: BodyShapes = .all
    ) -> SizeReport {
        let bodies = (0..<variantCount).map { variant in
            SizeReport.Body(
                language: languages.language(of: variant)?.written,
                bytes: maximumBodySize(
                    variant: variant,
                    widestBadge: widestBadge,
                    longestUID: longestUID,
                    shapes: shapes
                )
            )
        }
        return SizeReport(limit: headers.pushType.bodyLimit, bodies: bodies)
    }
}
