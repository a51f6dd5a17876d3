import CNghttp2

/// The header fields of a client's requests as nghttp2 takes them, made once per connection.
///
/// A push changes nothing but the pointer and length of the path. Names and constant values are
/// never copied by nghttp2: their memory lives as long as this. The authorization value is the
/// exception, because it may be replaced while requests with the old one wait inside nghttp2.
struct NGHTTP2RequestHeaders: ~Copyable {
    /// What stands before the token in every path.
    static let pathPrefix: StaticString = "/3/device/"
    private static let pathIndex = 2

    /// The fields, in the order they are sent: the constant ones, authorization, and the length last,
    /// so that requests differ in their path and their last bytes alone.
    let fields: UnsafeMutablePointer<nghttp2_nv>
    /// How many of `fields` are sent: one less without an authorization value.
    private(set) var count: Int
    private let constantCount: Int
    /// Whether each request has an `apns-id` of its own: the last of the constant fields, whose value
    /// is not constant.
    let hasID: Bool
    private let text: UnsafeMutableBufferPointer<UInt8>
    private var authorization: UnsafeMutableBufferPointer<UInt8>
    private let authorizationName: StaticString = "authorization"
    private let authorizationFlags: UInt8
    private let lengthName: StaticString = "content-length"
    private let digits: UnsafeMutablePointer<UInt8>
    private static let mostDigits = 20

    init(_ profile: RequestProfile) {
        var pairs: [(name: String, value: String)] = [
            (":method", "POST"), (":scheme", profile.scheme), (":path", ""),
            (":authority", profile.authority),
        ]
        pairs += profile.constantFields.map { ($0.name, $0.value) }
        hasID = profile.hasOwnIDs
        if hasID { pairs.append((RequestProfile.idName, "")) }

        let size = pairs.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        text = .allocate(capacity: max(size, 1))
        fields = .allocate(capacity: pairs.count + 2)
        digits = .allocate(capacity: Self.mostDigits)
        constantCount = pairs.count
        count = constantCount
        authorization = .allocate(capacity: 0)
        // nghttp2 writes authorization as never indexed whatever it is told; `strict` is said
        // all the same, so that the wish is kept should that change.
        let noIndex = profile.indexing == .strict ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0
        authorizationFlags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | noIndex)

        var used = 0
        for (index, pair) in pairs.enumerated() {
            let name = text.append(pair.name, used: &used)
            let value = text.append(pair.value, used: &used)
            fields.advanced(by: index).initialize(
                to: nghttp2_nv(
                    name: name,
                    nameCount: pair.name.utf8.count,
                    value: value,
                    valueCount: pair.value.utf8.count,
                    flags: NGHTTP2_NV_FLAG_NO_COPY_NAME,
                    NGHTTP2_NV_FLAG_NO_COPY_VALUE
                )
            )
        }
        if hasID {
            // Copied by nghttp2, unlike the constants, and no entry of its table evicted for it.
            let flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_INDEX.rawValue
            fields[constantCount - 1].flags = UInt8(flags)
        }
        setAuthorization(profile.authorization)
    }

    /// Puts an id into the fields; it must stay in place until the request is submitted.
    borrowing func setID(_ id: UnsafeRawBufferPointer) {
        let start = id.baseAddress?.assumingMemoryBound(to: UInt8.self)
        fields[constantCount - 1].value = UnsafeMutablePointer(mutating: start)
        fields[constantCount - 1].valuelen = id.count
    }

    deinit {
        digits.deallocate()
        fields.deallocate()
        text.deallocate()
        authorization.deallocate()
    }

    /// Puts `path` into the fields; it must stay in place until the request is written.
    borrowing func setPath(_ path: UnsafePointer<UInt8>, count: Int) {
        fields[Self.pathIndex].value = UnsafeMutablePointer(mutating: path)
        fields[Self.pathIndex].valuelen = count
    }

    /// Puts the body's length into the fields; nghttp2 copies it, and never indexes it.
    borrowing func setLength(_ length: Int) {
        var rest = length
        var start = Self.mostDigits
        repeat {
            start -= 1
            digits[start] = UInt8(0x30 + rest % 10)
            rest /= 10
        } while rest > 0
        fields[count - 1].value = digits + start
        fields[count - 1].valuelen = Self.mostDigits - start
    }

    /// Replaces the authorization value, or leaves the field out.
    mutating func setAuthorization(_ value: String?) {
        authorization.deallocate()
        authorization = .allocate(capacity: value?.utf8.count ?? 0)
        count = constantCount + (value == nil ? 1 : 2)
        fields[count - 1] = nghttp2_nv(
            name: UnsafeMutablePointer(mutating: lengthName.utf8Start),
            value: digits,
            namelen: lengthName.utf8CodeUnitCount,
            valuelen: 0,
            flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        )
        guard let value else { return }
        var used = 0
        let start = authorization.append(value, used: &used)
        fields[constantCount] = nghttp2_nv(
            name: UnsafeMutablePointer(mutating: authorizationName.utf8Start),
            value: start,
            namelen: authorizationName.utf8CodeUnitCount,
            valuelen: used,
            flags: authorizationFlags
        )
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes `string` at `used` and moves `used` on; the start of what was written.
    fileprivate func append(_ string: String, used: inout Int) -> UnsafeMutablePointer<UInt8> {
        guard let base = baseAddress else {
            preconditionFailure("an allocated buffer has an address")
        }
        let start = base + used
        for byte in string.utf8 {
            initializeElement(at: used, to: byte)
            used += 1
        }
        return start
    }
}
