import HTTP2
import NetIO
import PushCrypto
import PushModel

// Handing pushes to the sessions.
extension ClientLoop {
    /// Submits what is due in a lane, as far as its connections take it.
    func submitDue(in lane: Lane, now: MonotonicInstant) {
        guard !isStopping(lane), lane.ring.ready != nil || lane.retries.hasDue(at: now),
            !awaitsToken(lane)
        else { return }
        let count = lane.pool.count
        guard count > 0 else { return }
        lane.rotation = (lane.rotation + 1) % count
        for offset in 0..<count {
            let position = (lane.rotation + offset) % count
            // A write that fails takes its connection out of the pool.
            guard position < lane.pool.count else { continue }
            let connection = lane.pool[position]
            if let tokens = configuration.tokens { connection.carry(tokens) }
            while connection.canSubmit {
                let submitted = submitChunk(on: connection, of: lane)
                flush(connection)
                if submitted < Self.chunk { break }
            }
        }
    }

    /// Whether a lane waits for a new provider token: with the present one pushes are sent in vain.
    func awaitsToken(_ lane: Lane) -> Bool {
        guard let tokens = configuration.tokens else { return false }
        return tokens.version < lane.awaitedTokenVersion
    }

    /// Submits at most a chunk of pushes that are due, and stamps them just before their write.
    private func submitChunk(on connection: ClientConnection, of lane: Lane) -> Int {
        let now = MonotonicInstant.now()
        var count = 0
        while count < Self.chunk, connection.canSubmit {
            guard
                let tag = submitRetry(on: connection, of: lane, now: now)
                    ?? submitNext(on: connection, of: lane, now: now)
            else { break }
            chunkTags[count] = tag
            count += 1
        }
        guard count > 0 else { return 0 }
        connection.noteFill()
        if connection.inFlight.count == count {
            connection.lastProgress = now
            connection.lastHeard = now
        }
        connection.inFlight.markSent(chunkTags, count: count, at: .now())
        return count
    }

    private func submitNext(
        on connection: ClientConnection,
        of lane: Lane,
        now: MonotonicInstant
    ) -> UInt32? {
        guard let slab = lane.ring.ready, !isOpenLoop || lane.nextDue <= now,
            !isOver(lane.nextDue), !lane.retries.isFull
        else { return nil }
        let intended = isOpenLoop ? lane.nextDue : now
        let sequence = slab.next
        var push = InFlightPush(sequence: sequence, intended: intended, sent: now)
        push.tokenVersion = UInt8(truncatingIfNeeded: connection.tokenVersion)
        guard let tag = connection.inFlight.insert(push) else { return nil }
        let (submitted, bytes) = slab.withNext { token, body in
            (submit(sequence, of: lane, token, body, tag, on: connection), body.byteCount)
        }
        guard submitted else {
            _ = connection.inFlight.remove(tag)
            return nil
        }
        slab.take()
        recorder.sent += 1
        recorder.bodyBytes += bytes
        interval.totals.sent += 1
        if slab.isUsedUp { lane.ring.refill() }
        if isOpenLoop, let offset = lane.pacer?.next() {
            lane.nextDue = start.advanced(by: offset)
        }
        return tag
    }

    @inline(__always)
    private func submit(
        _ sequence: Int,
        of lane: Lane,
        _ token: RawSpan,
        _ body: RawSpan,
        _ tag: UInt32,
        on connection: ClientConnection
    ) -> Bool {
        guard let pushIDs else {
            return connection.session.submit(token: token, body: body, tag: tag)
        }
        pushIDs.write(lane.fanOut.order.number(of: sequence), to: idBytes)
        let id = UnsafeRawBufferPointer(rebasing: idBytes[..<RequestProfile.idByteCount])
        return connection.session.submit(
            token: token,
            apnsID: RawSpan(_unsafeBytes: id),
            body: body,
            tag: tag
        )
    }

    /// Renders a push that goes out again anew: so seldom that its slab need not be kept.
    private func submitRetry(
        on connection: ClientConnection,
        of lane: Lane,
        now: MonotonicInstant
    ) -> UInt32? {
        guard var push = lane.retries.first(dueAt: now) else { return nil }
        let wasAnswered = push.marks.contains(.wasAnswered)
        push.marks.remove(.wasAnswered)
        push.tokenVersion = UInt8(truncatingIfNeeded: connection.tokenVersion)
        guard let tag = connection.inFlight.insert(push) else { return nil }
        let fanOut = lane.fanOut
        let record = fanOut.installs.record(at: fanOut.order.installIndex(of: push.sequence))
        var output = OutputRawSpan(buffer: scratch, initializedCount: 0)
        do throws(CryptoError) {
            try lane.renderer.render(record, sequence: push.sequence, into: &output)
        } catch {
            _ = connection.inFlight.remove(tag)
            for lane in lanes { lane.fanOut.fail(error.description) }
            return nil
        }
        let count = output.finalize(for: scratch)
        let body = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        guard submit(push.sequence, of: lane, record.token, body, tag, on: connection) else {
            _ = connection.inFlight.remove(tag)
            return nil
        }
        lane.retries.removeFirst()
        if wasAnswered { recorder.retried += 1 } else { recorder.resent += 1 }
        recorder.bodyBytes += count
        return tag
    }

    private func isOver(_ due: MonotonicInstant) -> Bool {
        guard isOpenLoop, let end else { return false }
        return due >= end
    }
}

extension ClientConnection {
    /// Lets the requests from now on carry the present provider token.
    @inline(__always)
    func carry(_ tokens: ProviderTokenSource) {
        let version = tokens.version
        guard version != tokenVersion else { return }
        session.setAuthorization(tokens.authorization)
        tokenVersion = version
    }
}
