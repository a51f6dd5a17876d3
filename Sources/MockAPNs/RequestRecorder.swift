import CJSON
import Glibc
import HTTP2
import PushBuffers
import PushCrypto
import PushModel

/// One loop's hand of a ``RequestRecord``: makes a line of each request; touched by the loop's thread
/// alone.
///
/// The authorization is left out, and so is whatever looks like a provider token anywhere else.
final class RequestRecorder {
    private let record: RequestRecord
    private let reasons: ReasonTable
    /// Whether the body of an accepted push is known to be JSON.
    private let bodiesAreChecked: Bool
    /// The lines of this turn; nil where there are none yet.
    private var chunk: RecordChunk?
    private var clock = RecordClock()
    /// Whether the loop had to wait for the file in this turn.
    private var hasWaited = false

    /// All the fields of APNs' own that a session keeps.
    private static let fields: [RequestField] = [
        .apnsTopic, .apnsPushType, .apnsPriority, .apnsExpiration, .apnsID, .apnsCollapseID,
        .apnsChannelID, .apnsRequestID,
    ]
    /// The bytes of a line beside what is copied from the request: names, numbers, time.
    private static let fixedBytes = 1024

    init(_ record: RequestRecord, rules: APNsRules) {
        self.record = record
        reasons = rules.reasons
        bodiesAreChecked = rules.verification == .full || rules.verification == .content
    }

    /// Makes the line of a request.
    ///
    /// Waits where the file is so far behind that no memory is left.
    ///
    /// - Parameters:
    ///   - request: The whole request.
    ///   - answer: What it is answered; nil where it gets no answer.
    ///   - connection: The number of its connection.
    ///   - streamID: Its stream.
    func record(
        _ request: borrowing RequestView,
        answer: RecordedAnswer?,
        connection: UInt64,
        streamID: UInt32
    ) {
        let chunk = chunk(withRoomFor: Self.mostBytes(of: request))
        // The closure borrows the request for the call alone.
        chunk.appendLine { output in
            output.append("{\"time\":\"")
            clock.append(to: &output)
            output.append("\",\"connection\":")
            output.append(decimal: connection)
            output.append(",\"stream\":")
            output.append(decimal: UInt64(streamID))
            Self.append(fieldsOf: request, to: &output)
            let isChecked =
                bodiesAreChecked && answer?.status == 200
                && request.value(of: .path).starts(with: APNsRules.devicePath)
            Self.append(bodyOf: request, isJSON: isChecked, to: &output)
            append(answer, to: &output)
            output.append("}\n")
        }
    }

    /// Hands this turn's lines over.
    ///
    /// - Returns: Whether the loop had to wait for the file since the last call.
    func endTurn() -> Bool {
        if let chunk {
            record.handOver(chunk)
            self.chunk = nil
        }
        defer { hasWaited = false }
        return hasWaited
    }

    private func chunk(withRoomFor byteCount: Int) -> RecordChunk {
        if let chunk {
            if chunk.freeBytes >= byteCount { return chunk }
            record.handOver(chunk)
            self.chunk = nil
        }
        let taken = record.queue.take(roomFor: byteCount)
        if taken.hasWaited { hasWaited = true }
        chunk = taken.chunk
        return taken.chunk
    }

    /// The most bytes that a request's line takes.
    private static func mostBytes(of request: borrowing RequestView) -> Int {
        var text = request.value(of: .method).byteCount + 2 * request.value(of: .path).byteCount
        for index in fields.indices { text += request.value(of: fields[index]).byteCount }
        // Base64 is the longest that becomes of a body.
        return fixedBytes + 6 * text + SealedSizes.base64Count(request.body.byteCount)
    }

    private static func append(
        fieldsOf request: borrowing RequestView,
        to output: inout OutputRawSpan
    ) {
        output.append(",\"method\":")
        output.append(quoted: request.value(of: .method))
        output.append(",\"path\":")
        let path = request.value(of: .path)
        output.append(quoted: path)
        output.append(",\"token\":")
        if path.starts(with: APNsRules.devicePath) {
            output.append(
                quoted: path.extracting(droppingFirst: APNsRules.devicePath.utf8CodeUnitCount)
            )
        } else {
            output.append("null")
        }
        output.append(",\"headers\":{")
        var isFirst = true
        for index in fields.indices where request.has(fields[index]) {
            let field = fields[index]
            output.append(isFirst ? "\"" : ",\"")
            isFirst = false
            output.append(field.wireName)
            output.append("\":")
            output.append(quoted: request.value(of: field))
        }
        output.append("}")
    }

    private static func append(
        bodyOf request: borrowing RequestView,
        isJSON: Bool,
        to output: inout OutputRawSpan
    ) {
        output.append(",\"bodyBytes\":")
        output.append(decimal: UInt64(request.bodyByteCount))
        let body = request.body
        guard body.byteCount > 0 else { return }
        let isJSON =
            isJSON
            || body.byteCount == request.bodyByteCount
                && body.withUnsafeBytes { cps_json_is_well_formed($0.baseAddress, $0.count) }
        if isJSON {
            output.append(",\"body\":")
            output.append(json: body)
            return
        }
        let hasToken = body.withUnsafeBytes { ProviderTokenFinder.find(in: $0, from: 0) != nil }
        output.append(",\"bodyBase64\":\"")
        // In base64 a token would be as good as bare.
        if hasToken {
            output.append(ProviderTokenFinder.replacement)
        } else {
            Base64.append(body, to: &output)
        }
        output.append("\"")
    }

    private func append(_ answer: RecordedAnswer?, to output: inout OutputRawSpan) {
        guard let answer else {
            output.append(",\"status\":null,\"reason\":null,\"apnsId\":null")
            return
        }
        output.append(",\"status\":")
        output.append(decimal: UInt64(answer.status))
        output.append(",\"reason\":")
        if let reason = answer.reason {
            var name = reasons.name(of: reason)
            name.withUTF8 { output.append(quoted: RawSpan(_unsafeElements: $0)) }
        } else {
            output.append("null")
        }
        if let timestamp = answer.timestampMilliseconds {
            output.append(",\"timestamp\":")
            output.append(decimal: timestamp)
        }
        output.append(",\"apnsId\":")
        if let id = answer.apnsID {
            output.append(quoted: id.span.bytes)
        } else {
            output.append("null")
        }
        if let id = answer.requestID {
            output.append(",\"requestId\":")
            output.append(quoted: id.span.bytes)
        }
        if var id = answer.channelID {
            output.append(",\"channelId\":")
            id.withUTF8 { output.append(quoted: RawSpan(_unsafeElements: $0)) }
        }
        if let uniqueID = answer.apnsUniqueID {
            output.append(",\"apnsUniqueId\":")
            output.append(quoted: uniqueID.span.bytes)
        }
    }
}
