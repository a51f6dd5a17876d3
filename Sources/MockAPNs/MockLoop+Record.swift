import HTTP2
import NetIO

/// What a record adds to a loop's turn.
extension MockLoop {
    /// Writes a push down; `answer` is nil where it gets none.
    @inline(__always)
    func record(
        _ request: borrowing RequestView,
        answer: PushDecision?,
        _ handle: RequestHandle,
        _ connection: MockConnection<Session>
    ) {
        guard let recorder else { return }
        recorder.record(
            request,
            answer: answer.map(RecordedAnswer.init),
            connection: connection.number,
            streamID: handle.streamID
        )
    }

    /// Writes a broadcast or the management of channels down; `answer` is nil where it gets none.
    func record(
        _ request: borrowing RequestView,
        answer: AppAnswer?,
        _ handle: RequestHandle,
        _ connection: MockConnection<Session>
    ) {
        guard let recorder else { return }
        recorder.record(
            request,
            answer: answer.map(RecordedAnswer.init),
            connection: connection.number,
            streamID: handle.streamID
        )
    }

    /// Hands this turn's lines over; time that the record's file took is nobody's delay.
    func endRecordedTurn() {
        guard let recorder, recorder.endTurn() else { return }
        now = .now()
        waitedUntil = now
    }
}
