extension WireClientCore {
    /// Whether all of a stream's request still waits in the output, and can be taken out of it
    /// without loss to the peer's HPACK table.
    private func isWithdrawable(_ stream: WireClientStream) -> Bool {
        stream.outputStart >= connection.output.taken && !stream.isWaiting
    }

    /// Takes requests that were not begun back from the output: their streams end as unprocessed.
    ///
    /// Done after GOAWAY, for streams that the peer would ignore, and after the limit of streams was
    /// lowered, for those above it.
    ///
    /// - Parameters:
    ///   - last: Streams with higher ids are taken back where that is possible.
    ///   - code: What the events bear.
    mutating func withdraw(above last: UInt32, code: HTTP2ErrorCode = .noError) {
        var removed: [Range<Int>] = []
        forEachOpenStream { core, place in
            let stream = core.streams[place]
            guard stream.id > last, core.isWithdrawable(stream) else { return }
            removed.append(stream.outputStart..<stream.outputEnd)
            core.connection.sendWindow += core.connection.peerInitialWindow - stream.sendWindow
            core.close(
                place,
                as: .abandoned,
                event: ClientEvent(kind: .unprocessed, tag: stream.tag, errorCode: code)
            )
        }
        guard !removed.isEmpty else { return }
        connection.output.remove(removed)
        forEachOpenStream { core, place in
            let stream = core.streams[place]
            guard stream.outputEnd > removed[0].lowerBound else { return }
            var before = 0
            for range in removed where range.upperBound <= stream.outputEnd {
                before += range.count
            }
            core.streams[place].outputEnd -= before
            if stream.outputStart >= removed[0].lowerBound {
                core.streams[place].outputStart -= before
            }
        }
        if firstWaiting >= 0 { sendWaiting() }
    }

    /// Takes the newest requests back that are over a lowered limit and were not begun.
    mutating func withdrawOverLimit() {
        var over = inFlight - streamLimit
        guard over > 0 else { return }
        var last = nextStreamID
        var offset = 1
        while over > 0, offset <= mask + 1 {
            let stream = streams[(place(of: nextStreamID) &- offset) & mask]
            offset += 1
            guard stream.isOpen else { continue }
            guard isWithdrawable(stream) else { break }
            last = stream.id - 1
            over -= 1
        }
        if last < nextStreamID { withdraw(above: last) }
    }
}
