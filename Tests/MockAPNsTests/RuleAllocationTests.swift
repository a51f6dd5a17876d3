import CAllocCounter
import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// The rules' hot path asks for no memory.
@Suite struct RuleAllocationTests {
    @Test(arguments: VerificationLevel.allCases)
    func decidesOnAValidPushWithoutAllocating(_ level: VerificationLevel) throws {
        let tokens = try ProviderTokens()
        let token = try tokens.authorization(issuedAt: Self.now)
        expectNoAllocation(
            of: PushRequest([
                .authorization: token, .apnsPriority: "10", .apnsExpiration: "1700000000",
            ]),
            ConnectionRuleState(),
            level
        )
    }

    @Test(arguments: [nil, PushRequest.topic])
    func decidesOnAPushWithACertificateWithoutAllocating(_ topic: String?) {
        let certificate = ClientCertificate(topics: [PushRequest.topic])
        expectNoAllocation(
            of: PushRequest([.apnsTopic: topic]),
            ConnectionRuleState(certificate: certificate),
            .full
        )
    }

    private static let now: Int64 = 1_700_000_000

    private func expectNoAllocation(
        of request: PushRequest,
        _ state: ConnectionRuleState,
        _ level: VerificationLevel
    ) {
        let rules = APNsRules(authentication: .any, verification: level, environment: .sandbox)
        var state = state
        var identifiers = UUIDGenerator(seed: 1)
        let now = Self.now
        let (accepted, allocations) = request.withView { view -> (Int, UInt64) in
            // The first push fills what is remembered of the connection.
            _ = rules.decide(view, connection: &state, now: now, identifiers: &identifiers)
            var accepted = 0
            let before = pb_thread_allocations()
            for _ in 0..<10_000 {
                let decision = rules.decide(
                    view,
                    connection: &state,
                    now: now,
                    identifiers: &identifiers
                )
                if decision.reason == nil { accepted += 1 }
            }
            return (accepted, pb_thread_allocations() - before)
        }
        #expect(accepted == 10_000)
        #expect(allocations == 0)
    }
}
