import HTTP2
import NetIO
import PushModel

/// Something that a loop does at a time.
struct LoopTimer {
    enum Action {
        /// Gives the answer to a push.
        case answer(RequestHandle, PushDecision)
        /// Gives the answer to any other request.
        case respond(RequestHandle, PendingAnswer)
        /// Resets the stream in place of an answer.
        case fail(RequestHandle)
        /// Says the GOAWAY with the real last stream.
        case secondGoAway(ReasonCode?)
        /// Ends the wait for the peer's end.
        case close
    }

    var connection: UInt64
    var action: Action

    var isAnswer: Bool {
        switch action {
        case .answer, .respond, .fail: true
        case .secondGoAway, .close: false
        }
    }
}

/// The answer to a broadcast or to the management of channels, while it waits for its time.
///
/// Boxed, so that what waits for pushes stays small.
final class PendingAnswer {
    let answer: AppAnswer

    init(_ answer: AppAnswer) { self.answer = answer }
}

/// What a personality does to connections, and what waits for its time.
extension MockLoop {
    /// The course of a new connection; nil where the mock has no personality.
    func newBehaviour(hasClientCertificate: Bool) -> ConnectionBehaviour? {
        guard let plan else { return nil }
        return ConnectionBehaviour(
            plan,
            base: configuration.settings,
            number: plan.nextConnection(),
            hasClientCertificate: hasClientCertificate,
            elapsed: plan.startedAt == 0 ? nil : elapsed(plan)
        )
    }

    /// Nanoseconds since the mock's first push, this one at the latest.
    func elapsed(_ plan: PersonalityPlan) -> UInt64 {
        if firstPush == 0 { firstPush = plan.start(max(1, now.nanoseconds)) }
        let (time, isBefore) = now.nanoseconds.subtractingReportingOverflow(firstPush)
        return isBefore ? 0 : time
    }

    /// Refuses an accepted push to a token that is throttled.
    func throttle(
        _ request: borrowing RequestView,
        _ decision: inout PushDecision,
        _ plan: PersonalityPlan
    ) {
        let path = request.value(of: .path)
        guard let throttle = plan.throttle(path) else { return }
        decision.reason = throttle.reason
        decision.status = rules.reasons.status(of: throttle.reason)
        decision.apnsUniqueID = nil
        decision.retryAfterSeconds = throttle.retryAfterSeconds
    }

    /// Answers a processed push now or later, and draws the consequences.
    @inline(__always)
    func settle(
        _ decision: PushDecision,
        _ arrival: PersonalityPlan.Arrival,
        _ handle: RequestHandle,
        _ connection: MockConnection<Session>,
        _ session: Session,
        _ plan: PersonalityPlan
    ) {
        let consequence =
            connection.behaviour?.processed(decision.reason, status: decision.status, plan) ?? []
        if plan.isDelayed || arrival == .fail {
            settleLater(.answer(handle, decision), arrival, handle, connection, session, plan)
        } else {
            if firstPush == 0 { _ = elapsed(plan) }
            deliver(decision, to: handle, session)
        }
        if !consequence.isEmpty { draw(consequence, decision.reason, connection, session) }
    }

    /// Answers a processed broadcast, or one to manage channels, as a push is answered.
    func settle(
        _ answer: AppAnswer,
        _ arrival: PersonalityPlan.Arrival,
        _ handle: RequestHandle,
        _ connection: MockConnection<Session>,
        _ session: Session,
        _ plan: PersonalityPlan
    ) {
        let consequence =
            connection.behaviour?.processed(answer.reason, status: answer.status, plan) ?? []
        if plan.isDelayed || arrival == .fail {
            let pending = PendingAnswer(answer)
            settleLater(.respond(handle, pending), arrival, handle, connection, session, plan)
        } else {
            _ = elapsed(plan)
            deliver(answer, to: handle, session)
        }
        if !consequence.isEmpty { draw(consequence, answer.reason, connection, session) }
    }

    @inline(never)
    private func settleLater(
        _ answer: LoopTimer.Action,
        _ arrival: PersonalityPlan.Arrival,
        _ handle: RequestHandle,
        _ connection: MockConnection<Session>,
        _ session: Session,
        _ plan: PersonalityPlan
    ) {
        if arrival == .fail { counters.add(.streamsFailed) }
        let delay = plan.personality.delay.nanoseconds(
            draw: connection.behaviour?.draw ?? 0,
            elapsed: elapsed(plan)
        )
        let action = arrival == .fail ? .fail(handle) : answer
        guard delay > 0 else {
            perform(action, connection, session)
            return
        }
        connection.pendingAnswers += 1
        // Nothing looks into it any more, and an hour's pushes may wait.
        session.dropBody(of: handle)
        timers.add(
            LoopTimer(connection: connection.id, action: action),
            due: arrivedAt.advanced(by: delay).nanoseconds
        )
    }

    @inline(never)
    private func draw(
        _ consequence: ConnectionBehaviour.Consequence,
        _ reason: ReasonCode?,
        _ connection: MockConnection<Session>,
        _ session: Session
    ) {
        if consequence.contains(.settings) { announce(connection, session) }
        guard connection.phase == .serving else { return }
        if consequence.contains(.disconnection) {
            counters.add(.disconnections)
            sayGoAway(connection, session, reason: reason, isAbrupt: false)
        } else if consequence.contains(.goodbye) {
            sayGoAway(connection, session, reason: nil, isAbrupt: false)
        }
    }

    /// Announces the settings that the connection's behaviour has now.
    private func announce(_ connection: MockConnection<Session>, _ session: Session) {
        guard let behaviour = connection.behaviour, session.state == .open else { return }
        counters.add(.settingsChanges)
        session.update(settings: behaviour.settings)
    }

    /// Announces on all connections, some in each turn, what the personality changes at a time.
    func reachTimedSteps() {
        let isUnderWay = announcementSlot < connections.slotCount
        guard let plan, isUnderWay || nextTimedStep < plan.timedSteps.count, plan.startedAt != 0
        else { return }
        let elapsed = elapsed(plan)
        while nextTimedStep < plan.timedSteps.count, plan.timedSteps[nextTimedStep].at <= elapsed {
            nextTimedStep += 1
            announcementSlot = 0
        }
        let first = min(announcementSlot, connections.slotCount)
        let end = min(first + MockLoopLimits.slotsPerAnnouncement, connections.slotCount)
        for slot in first..<end {
            guard let connection = connections.connection(inSlot: slot),
                let session = connection.session
            else { continue }
            work.announcements += 1
            guard connection.behaviour?.reach(elapsed, plan) == .settings else { continue }
            announce(connection, session)
            touch(connection)
        }
        announcementSlot = end < connections.slotCount ? end : .max
    }

    /// When the next timed step is due; nil where none is, or no push has come.
    var nextTimedStepDue: MonotonicInstant? {
        guard let plan, nextTimedStep < plan.timedSteps.count, plan.startedAt != 0 else {
            return nil
        }
        return MonotonicInstant(nanoseconds: plan.startedAt)
            .advanced(by: plan.timedSteps[nextTimedStep].at)
    }

    // MARK: - Faults

    /// Does what befalls a push before it is processed.
    ///
    /// - Returns: Whether it befalls the whole connection: no further push is processed.
    func breakOff(
        _ arrival: PersonalityPlan.Arrival,
        _ handle: RequestHandle,
        _ connection: MockConnection<Session>,
        _ session: Session
    ) -> Bool {
        switch arrival {
        case .process, .fail: return false
        case .refuse:
            counters.add(.streamsRefused)
            session.reset(handle, errorCode: .refusedStream)
            return false
        case .reset: connection.collapse = .reset
        case .die: connection.collapse = .silence
        }
        return true
    }

    /// Ends or abandons a connection as its personality wants it.
    func collapse(
        _ connection: MockConnection<Session>,
        _ session: Session,
        _ collapse: MockConnection<Session>.Collapse
    ) throws(NetIOError) {
        connection.collapse = nil
        // What was answered before goes out, as far as the socket takes it.
        try write(connection, session)
        switch collapse {
        case .reset:
            counters.add(.connectionResets)
            connection.transport.closeWithReset()
            forget(connection)
        case .silence:
            counters.add(.silentDeaths)
            connection.phase = .silent
            dropSession(of: connection)
            try wait(for: .hangUp, connection)
        }
    }

    // MARK: - GOAWAY

    /// Queues GOAWAY, or the first of two.
    func sayGoAway(
        _ connection: MockConnection<Session>,
        _ session: Session,
        reason: ReasonCode?,
        isAbrupt: Bool
    ) {
        counters.add(.goAways)
        let isTwice = plan?.personality.goodbye.isTwice ?? false
        guard isTwice, !isAbrupt else {
            session.goAway(errorCode: .noError, lastStreamID: nil, debugData: debugData(reason))
            connection.phase = isAbrupt ? .parting : .leaving
            return
        }
        connection.phase = .leaving
        connection.awaitsSecondGoAway = true
        session.goAway(
            errorCode: .noError,
            lastStreamID: 0x7FFF_FFFF,
            debugData: debugData(reason)
        )
        addTimer(
            .secondGoAway(reason),
            connection,
            after: plan?.personality.goodbye.graceNanoseconds ?? 0
        )
    }

    private func debugData(_ reason: ReasonCode?) -> [UInt8] {
        if let name = plan?.personality.goodbye.reason {
            var text = JSONText()
            text.object { $0.field("reason", name) }
            return Array(text.text.utf8)
        }
        return reason.map { rules.reasons.body(of: $0, timestampMilliseconds: nil) } ?? []
    }

    // MARK: - Timers

    func addTimer(
        _ action: LoopTimer.Action,
        _ connection: MockConnection<Session>,
        after nanoseconds: UInt64
    ) {
        timers.add(
            LoopTimer(connection: connection.id, action: action),
            due: now.advanced(by: nanoseconds).nanoseconds
        )
    }

    /// Does what is due, then writes to the connections it concerned.
    func runTimers() {
        if timers.count > 0 {
            let instant = MonotonicInstant.now().nanoseconds
            while let timer = timers.popDue(at: instant) {
                guard let connection = connections.connection(timer.connection) else {
                    if timer.isAnswer { droppedTimers -= 1 }
                    continue
                }
                if case .close = timer.action {
                    close(connection)
                    continue
                }
                guard let session = connection.session else {
                    if timer.isAnswer { droppedTimers -= 1 }
                    continue
                }
                if timer.isAnswer { connection.pendingAnswers -= 1 }
                perform(timer.action, connection, session)
                touch(connection)
            }
        }
        writeTouched()
    }

    private func perform(
        _ action: LoopTimer.Action,
        _ connection: MockConnection<Session>,
        _ session: Session
    ) {
        switch action {
        case .answer(let handle, let decision): deliver(decision, to: handle, session)
        case .respond(let handle, let pending):
            deliver(pending.answer, to: handle, session)
        case .fail(let handle): session.reset(handle, errorCode: .internalError)
        case .secondGoAway(let reason):
            connection.awaitsSecondGoAway = false
            session.goAway(errorCode: .noError, lastStreamID: nil, debugData: debugData(reason))
        case .close: break
        }
    }

    /// Has `connection` written to at the end of the turn.
    func touch(_ connection: MockConnection<Session>) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        touched.append(connection)
    }

    private func writeTouched() {
        guard !touched.isEmpty else { return }
        // By index: writing may touch others.
        var index = 0
        while index < touched.count {
            let connection = touched[index]
            index += 1
            connection.isTouched = false
            guard connection.transport.descriptor >= 0, let session = connection.session
            else { continue }
            do throws(NetIOError) {
                if connection.blockedOutput == nil { try write(connection, session) }
                if connection.isHoarder, connection.blockedOutput != nil { close(connection) }
            } catch {
                counters.add(.connectionsBroken)
                close(connection)
            }
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// Forgets the answers that wait for a connection which is gone.
    ///
    /// Their places in the heap are given back in bulk, once they are half of it.
    func dropPending(of connection: MockConnection<Session>) {
        guard connection.pendingAnswers > 0 else { return }
        counters.add(.answersDropped, UInt64(connection.pendingAnswers))
        droppedTimers += connection.pendingAnswers
        connection.pendingAnswers = 0
        guard droppedTimers * 2 > timers.count else { return }
        let connections = connections
        timers.removeAll { timer in
            timer.isAnswer && connections.connection(timer.connection)?.session == nil
        }
        droppedTimers = 0
    }
}
