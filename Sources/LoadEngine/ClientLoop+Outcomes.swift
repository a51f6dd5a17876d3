import FlatJSON
import HDRHistogram
import HTTP2
import NetIO
import PushModel

// What answers, resets and lost connections mean for pushes (contract 1.6).
extension ClientLoop {
    /// Deals with all that the session has to tell.
    func settleAnswers(on connection: ClientConnection, now: MonotonicInstant) {
        let lane = lanes[connection.lane]
        var answers = 0
        var settled: Int64 = 0
        var isOverLimit = false
        var hasHeard = false
        while let event = connection.session.nextEvent() {
            if event.isFromPeer { hasHeard = true }
            switch event.kind {
            case .responded:
                answers += 1
                let push = connection.inFlight.remove(event.tag)
                if event.status == 200 {
                    settled += 1
                    accept(push, now: now)
                } else if refuse(push, event, on: connection, of: lane, now: now) {
                    settled += 1
                }
            case .reset where isRefusal(event, on: connection):
                let push = connection.inFlight.remove(event.tag)
                // Streams that were opened before the margin grew do not make it grow again.
                if push.sent > lane.marginGrewAt { isOverLimit = true }
                requeue(push, in: lane, isRefused: true, now: now)
            case .reset, .connectionLost:
                lose(connection.inFlight.remove(event.tag), in: lane, now: now)
            case .unprocessed:
                requeue(
                    connection.inFlight.remove(event.tag),
                    in: lane,
                    isRefused: event.errorCode == .refusedStream,
                    now: now
                )
            case .goAway:
                takeGoAway(event, on: connection, of: lane, answers: answers, now: now)
            case .pong: break
            }
        }
        if isOverLimit { stayBelowLimit(connection, of: lane, now: now) }
        // A refusal is no answer, but its sender is not dead.
        if hasHeard { connection.lastProgress = now }
        guard answers > 0 else { return }
        lane.pool.noteAnswer()
        lane.addresses.noteAnswer(from: connection.link.peerAddress)
        connection.record.pushes += answers
        guard settled > 0 else { return }
        recorder.lastAnswer = now
        recorder.makespan.record(Int64(clamping: now.nanoseconds(since: start)), count: settled)
    }

    // MARK: - Ends

    private func accept(_ push: InFlightPush, now: MonotonicInstant) {
        recorder.accepted += 1
        interval.totals.accepted += 1
        settle(push, as: .accepted)
        measure(push, now: now)
    }

    /// What a rejection means for other runs of the same journal.
    enum Rejection {
        case ofPush
        /// With the time at which the device was known to be gone, where told.
        case ofToken(timestamp: Int64?)
        /// Another run should send it: it would have gone out again here, or it was the sender's
        /// credentials that were refused.
        case deferred
    }

    /// Ends a push as rejected for a reason that the loop's tally knows by number.
    func reject(_ push: InFlightPush, reason: UInt16, _ rejection: Rejection) {
        recorder.rejected += 1
        recorder.reasons.countRejection(reason)
        if case .deferred = rejection {
            settle(push, as: .deferred)
            return
        }
        guard settle(push, as: .rejected), let refusals else { return }
        let text = recorder.reasons.text(reason)
        var end = PushEnd.rejected(reason: text)
        if case .ofToken(let timestamp) = rejection {
            end = .badToken(reason: text, timestamp: timestamp)
        }
        refusals.append(RefusalLog.Entry(place: push.sequence, end: end))
    }

    /// Ends a push whose answer was lost.
    func endUnknown(_ push: InFlightPush) {
        recorder.unknown += 1
        settle(push, as: .unknown)
    }

    /// Notes an end in the ledger.
    ///
    /// - Returns: False where the push had ended before.
    @discardableResult
    private func settle(_ push: InFlightPush, as outcome: Ledger.Outcome) -> Bool {
        guard let ledger else { return true }
        let isFirst = ledger.settle(push.sequence, as: outcome)
        if !isFirst { recorder.duplicates += 1 }
        return isFirst
    }

    /// Notes the times of a push whose last answer came now.
    private func measure(_ push: InFlightPush, now: MonotonicInstant) {
        let service = Int64(clamping: now.nanoseconds(since: push.sent))
        let response: Int64? =
            isOpenLoop || push.isRepeated
            ? Int64(clamping: now.nanoseconds(since: push.intended)) : nil
        interval.record(service: service, response: response)
        guard push.intended >= measureFrom else { return }
        if push.isRepeated {
            recorder.hasRepeated = true
            recorder.repeatedService.record(service)
        } else {
            recorder.service.record(service)
        }
        if let response { recorder.response.record(response) }
        if isOpenLoop, !push.isRepeated {
            recorder.lateness.record(
                Int64(clamping: push.sent.nanoseconds(since: push.intended))
            )
        }
    }

    // MARK: - Refusals

    /// Does what the action table says about an answer that is not 200.
    ///
    /// - Returns: Whether the push has ended with it.
    private func refuse(
        _ push: InFlightPush,
        _ event: ClientEvent,
        on connection: ClientConnection,
        of lane: Lane,
        now: MonotonicInstant
    ) -> Bool {
        let body = connection.session.withResponseBody(of: event) { RefusalBody($0) }
        let reason = recorder.reasons.number(of: body.reason, status: event.status)
        let action = AnswerAction(status: event.status, reason: body.reason)
        let pause = self.pause(before: push, retryAfter: event.retryAfterSeconds)
        var goesOn = false
        var rejection = Rejection.ofPush
        switch action {
        case .accept, .reject: break
        case .dropToken:
            rejection = .ofToken(timestamp: body.timestamp)
            recorder.rejectedTokens.note(
                install: lane.fanOut.order.installIndex(of: push.sequence),
                reason: reason,
                timestamp: body.timestamp
            )
        case .delayPush, .backOff:
            goesOn = retry(push, reason: reason, after: pause, in: lane, now: now)
        case .slowConnection:
            connection.slowdowns += 1
            connection.pause(
                until: now.advanced(by: min(pause, configuration.retries.longestDelay))
            )
            goesOn = retry(push, reason: reason, after: pause, in: lane, now: now)
        case .leaveConnection:
            connection.isLeaving = true
            connection.record.reason = connection.record.reason ?? "503 Shutdown"
            // The other connection is there at once as a rule: only who meets it again waits.
            let isFirst = push.lastReason != reason && event.retryAfterSeconds == nil
            goesOn = retry(push, reason: reason, after: isFirst ? 0 : pause, in: lane, now: now)
        case .renewToken:
            goesOn = retryWithNewToken(push, reason: reason, in: lane, now: now)
        case .stopPool:
            lane.fanOut.fail(credentialsSentence(lane, reason: reason))
        }
        guard !goesOn else { return false }
        if action.isAboutTheMoment, push.marks.contains(.mayHaveArrived) {
            // This copy was not processed; whether the one before was, nobody knows.
            endUnknown(push)
            return false
        }
        if action.isAboutCredentials || action.isAboutTheMoment && mayRetry(push, after: pause) {
            rejection = .deferred
        }
        interval.totals.rejected += 1
        reject(push, reason: reason, rejection)
        measure(push, now: now)
        return true
    }

    private func retryWithNewToken(
        _ push: InFlightPush,
        reason: UInt16,
        in lane: Lane,
        now: MonotonicInstant
    ) -> Bool {
        guard let tokens = configuration.tokens, !push.marks.contains(.sawExpiredToken) else {
            lane.fanOut.fail(credentialsSentence(lane, reason: reason))
            return false
        }
        switch tokens.replaceExpired(version: push.tokenVersion) {
        case .done: break
        case .underWay(let version): lane.awaitedTokenVersion = version
        case .tooYoung(let age):
            lane.fanOut.fail(
                "\(lane.name) calls a provider token expired that was made "
                    + "\(age / 1_000_000_000) s ago, and a new one may not be sent yet: check "
                    + "this machine's clock."
            )
            return false
        }
        var push = push
        push.marks.insert(.sawExpiredToken)
        return retry(push, reason: reason, after: 0, in: lane, now: now, isFree: true)
    }

    private func credentialsSentence(_ lane: Lane, reason: UInt16) -> String {
        "\(lane.name) refuses the credentials (403 \(recorder.reasons.text(reason))): check key, "
            + "key id, team id, certificate and topic; nothing more is sent there."
    }

    // MARK: - Connections

    private func takeGoAway(
        _ event: ClientEvent,
        on connection: ClientConnection,
        of lane: Lane,
        answers: Int,
        now: MonotonicInstant
    ) {
        let text = connection.session.withResponseBody(of: event) {
            FlatJSON.string("reason", in: $0)
        }
        let reason = "GOAWAY \(text ?? "with error \(event.errorCode.rawValue)")"
        connection.record.reason = reason
        if let known = text.flatMap(APNsReason.init), known.status == 403,
            known != .expiredProviderToken
        {
            let number = recorder.reasons.number(of: text, status: 403)
            lane.fanOut.fail(credentialsSentence(lane, reason: number))
        }
        guard connection.record.pushes == 0, answers == 0 else { return }
        // A target that only ever says goodbye must not be called again and again at once.
        note(failure: "\(lane.name) answered no push: \(reason)")
        lane.pool.noteFailure(openedAt: connection.openedAt, now: now)
    }

    /// Whether a reset says that the stream was over the peer's limit, so that it was not processed.
    ///
    /// A server that answers before it has read a whole request may count that stream on after the
    /// answer. What is then one too many it resets, by RFC 9113 section 5.1.2, with REFUSED_STREAM or
    /// PROTOCOL_ERROR. The latter is taken for that where it comes from the peer, before any
    /// response, on a connection whose streams have reached the peer's own limit: the requests of a
    /// connection differ in nothing that could be malformed in one of them alone.
    private func isRefusal(_ event: ClientEvent, on connection: ClientConnection) -> Bool {
        event.errorCode == .protocolError && event.isPeerReset && event.status == 0
            && connection.hasBeenAtLimit
    }

    /// Keeps a margin below the limit of a peer that counts streams for longer than it says.
    private func stayBelowLimit(
        _ connection: ClientConnection,
        of lane: Lane,
        now: MonotonicInstant
    ) {
        let limit = Int(clamping: connection.session.peerMaxConcurrentStreams)
        lane.limitMargin = min(max(0, limit - 1), lane.limitMargin + max(1, limit / 8))
        lane.marginGrewAt = now
        lane.pool.forEach { $0.keepBelowLimit(by: lane.limitMargin) }
    }
}

extension ClientEvent {
    /// Whether the peer has dealt with a stream, whatever it made of it.
    fileprivate var isFromPeer: Bool { kind == .responded || isPeerReset }
}
