/// A whole request as a server sees it: known fields by fixed place, and the body.
///
/// A view without ownership: valid only inside ``ServerSession/withRequest(_:_:)``.
public struct RequestView: ~Copyable {
    /// Where the known fields' values stand in the session's storage for this stream.
    let fields: UnsafePointer<FieldRange>
    /// The start of that storage.
    let fieldBytes: UnsafeRawPointer
    let bodyBytes: UnsafeRawBufferPointer
    /// How many bytes the body has; more than ``body`` holds where the session kept only its start.
    public let bodyByteCount: Int
    /// The first known field that came twice; nil where none did.
    public let duplicatedField: RequestField?

    /// A field value's place; `offset` is ``absent`` where the request has no such field.
    struct FieldRange {
        static let absent = UInt32.max
        var offset: UInt32 = FieldRange.absent
        var count: UInt32 = 0
    }

    init(
        fields: UnsafePointer<FieldRange>,
        fieldBytes: UnsafeRawPointer,
        bodyBytes: UnsafeRawBufferPointer,
        bodyByteCount: Int? = nil,
        duplicatedField: RequestField?
    ) {
        self.fields = fields
        self.fieldBytes = fieldBytes
        self.bodyBytes = bodyBytes
        self.bodyByteCount = bodyByteCount ?? bodyBytes.count
        self.duplicatedField = duplicatedField
    }

    /// Whether the request has `field`.
    public func has(_ field: RequestField) -> Bool {
        fields[Int(field.rawValue)].offset != FieldRange.absent
    }

    /// The value of `field`; empty where the request has none (see ``has(_:)``).
    @_lifetime(borrow self)
    public func value(of field: RequestField) -> RawSpan {
        let range = fields[Int(field.rawValue)]
        let isPresent = range.offset != FieldRange.absent
        let span = RawSpan(
            _unsafeStart: fieldBytes + (isPresent ? Int(range.offset) : 0),
            byteCount: isPresent ? Int(range.count) : 0
        )
        return _overrideLifetime(span, borrowing: self)
    }

    /// The body, or as much of it as the session keeps (see ``bodyByteCount``).
    public var body: RawSpan {
        @_lifetime(borrow self)
        get {
            let span = RawSpan(_unsafeBytes: bodyBytes)
            return _overrideLifetime(span, borrowing: self)
        }
    }
}
