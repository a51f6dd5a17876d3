extension RequestField {
    /// How many known fields there are.
    static let count = 15

    /// The known field with this name; nil for all others.
    static func named(_ name: UnsafeBufferPointer<UInt8>) -> RequestField? {
        // At most three known names share a length.
        switch name.count {
        case 5: name.isName(of: .path)
        case 7: name.isName(of: .method) ?? name.isName(of: .scheme) ?? name.isName(of: .apnsID)
        case 10: name.isName(of: .authority) ?? name.isName(of: .apnsTopic)
        case 12: name.isName(of: .contentType)
        case 13: name.isName(of: .authorization) ?? name.isName(of: .apnsPriority)
        case 14: name.isName(of: .apnsPushType) ?? name.isName(of: .contentLength)
        case 15:
            name.isName(of: .apnsExpiration) ?? name.isName(of: .apnsChannelID)
                ?? name.isName(of: .apnsRequestID)
        case 16: name.isName(of: .apnsCollapseID)
        default: nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// `field`, if this is its name.
    fileprivate func isName(of field: RequestField) -> RequestField? {
        equals(field.wireName) ? field : nil
    }

    /// Whether these bytes are `text`.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        var difference: UInt8 = 0
        for index in 0..<count {
            difference |= self[index] ^ text.utf8Start[index]
        }
        return difference == 0
    }
}
