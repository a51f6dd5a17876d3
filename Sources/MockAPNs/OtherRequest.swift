import HTTP2

/// A request that is no push to a device.
enum OtherRequest {
    /// One to the mock itself.
    case admin(AdminRequest)
    /// A broadcast, or one to manage channels.
    case app(AppCall)

    /// The other request that `request` is; nil where it is a push to a device or its path is unknown.
    @inline(__always)
    init?(_ request: borrowing RequestView) {
        let path = request.value(of: .path)
        // One byte tells it from a push.
        guard path.byteCount > 1,
            path.unsafeLoad(fromByteOffset: 1, as: UInt8.self) != UInt8(ascii: "3")
        else { return nil }
        self.init(knownPathOf: request)
    }

    @inline(never)
    private init?(knownPathOf request: borrowing RequestView) {
        if let admin = AdminRequest(request) {
            self = .admin(admin)
        } else if let call = AppCall(request) {
            self = .app(call)
        } else {
            return nil
        }
    }
}

extension MockLoop {
    /// Does what a request that is no push to a device asks for, counts and answers it.
    ///
    /// - Returns: Whether its connection breaks off there: no further request is processed.
    @inline(never)
    func answer(
        _ other: OtherRequest,
        to handle: RequestHandle,
        of connection: MockConnection<Session>,
        _ session: Session
    ) -> Bool {
        switch other {
        case .admin(let admin):
            counters.add(.adminRequests)
            if case .reset = admin { channels.removeAll() }
            let response = admin.response(statistics: statistics, reasons: rules.reasons)
            session.respond(to: handle, with: response)
            return false
        case .app(let call):
            return answer(call, to: handle, of: connection, session)
        }
    }

    /// Does what a call about an app asks for; a personality treats it as it does a push.
    private func answer(
        _ call: AppCall,
        to handle: RequestHandle,
        of connection: MockConnection<Session>,
        _ session: Session
    ) -> Bool {
        var arrival = PersonalityPlan.Arrival.process
        if let plan { arrival = connection.behaviour?.arrival(plan) ?? .process }
        let answer = session.withRequest(handle) { request -> AppAnswer? in
            guard arrival.isProcessed else {
                record(request, answer: nil as AppAnswer?, handle, connection)
                return nil
            }
            if call.kind == .broadcast {
                counters.add(.bodyBytes, UInt64(request.bodyByteCount))
            }
            let answer = rules.answer(
                call,
                request,
                connection: &connection.rules,
                channels: channels,
                now: unixSeconds,
                identifiers: &identifiers
            ) {
                guard let plan, plan.hasThrottles else { return nil }
                return plan.throttle(
                    request.value(of: .path),
                    channel: request.value(of: .apnsChannelID),
                    rules.reasons
                )
            }
            record(request, answer: arrival == .process ? answer : nil, handle, connection)
            return answer
        }
        guard let answer else { return breakOff(arrival, handle, connection, session) }
        count(answer, of: call)
        if let plan {
            settle(answer, arrival, handle, connection, session, plan)
        } else {
            deliver(answer, to: handle, session)
        }
        return false
    }

    /// Gives an answer, with a list of channels as it is now.
    func deliver(_ answer: AppAnswer, to handle: RequestHandle, _ session: Session) {
        let response = answer.response(reasons: rules.reasons, channels: channels)
        session.respond(to: handle, with: response)
    }

    /// Broadcasts count as pushes; the management of channels has a counter of its own.
    private func count(_ answer: AppAnswer, of call: AppCall) {
        guard call.kind == .broadcast else { return counters.add(.channelRequests) }
        counters.add(.requests)
        if let reason = answer.reason {
            counters.addRefusal(reason)
        } else {
            counters.add(.accepted)
        }
    }
}
