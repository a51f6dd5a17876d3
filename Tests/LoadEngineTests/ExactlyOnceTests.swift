import Foundation
import HTTP2
import NetIO
import PushCrypto
import Testing

@testable import LoadEngine
@testable import MockAPNs

/// The proof that nothing is lost and nothing doubled: what the sender says of each single install is
/// held against what the mock has seen of it.
@Suite(.serialized, .timeLimit(.minutes(ProofScale.isFull ? 30 : 5)), .ownThreads)
struct ExactlyOnceTests {
    /// What the two sides say.
    private struct Evidence {
        let setting: ProofSetting
        let report: RunReport
        let counts: MockCounts
        let ledger: Ledger
        let arrivals: ArrivalMap
    }

    private static let fixture = Result { try LoadFixture(installs: ProofScale.pushes) }
    private static let identity = Result { () throws(NetIOError) in
        try TLSIdentity.selfSigned(names: ["127.0.0.1"])
    }

    @Test(arguments: ProofPlan.all, HTTP2Engine.allCases)
    func eachPushEndsOnceAndAsTheSenderSays(_ plan: ProofPlan, _ engine: HTTP2Engine) throws {
        var sum = ProofSum()
        for seed in ProofScale.seeds {
            let evidence = try Self.gather(plan, engine, ProofSetting(of: plan, seed: seed))
            Self.judge(evidence, of: plan)
            sum.add(evidence.report, evidence.counts)
        }
        guard ProofScale.isFull else { return }
        print("proof \(plan.name) · \(engine): \(sum)")
        fflush(nil)
    }

    // MARK: - The run

    private static func gather(
        _ plan: ProofPlan,
        _ engine: HTTP2Engine,
        _ setting: ProofSetting
    ) throws -> Evidence {
        let fixture = try fixture.get()
        let check = ContentCheck(
            expectation: try ContentExpectation(
                payload: fixture.payload,
                installs: fixture.installs,
                keys: PublicKeyStore(),
                opener: nil,
                arrivesOnce: true
            )
        )
        let identity = try identity.get()
        var reader = PersonalityReader()
        try reader.read(Array(plan.json.utf8))
        let mock = try LoadFixture.mock {
            $0.personality = reader.personality
            $0.personality.seed = setting.seed
            $0.content = check
            $0.engine = setting.mockEngine
            $0.loops = setting.loops
            if setting.isTLS { $0.transport = .tls(identity) }
        }
        defer { mock.stop() }
        let tls: TLSContext? =
            setting.isTLS ? try TLSContext.client(TLSContext.ClientOptions(insecure: true)) : nil
        var configuration = try fixture.configuration(port: mock.port, tls: tls)
        configuration.engine = engine
        configuration.seed = setting.seed
        configuration.loops = setting.loops
        configuration.connections = setting.connections
        configuration.streams = setting.streams
        configuration.retries.delay = 2_000_000
        // Dead connections are to be found soon, yet busy ones not taken for dead.
        configuration.timeouts.pingInterval = 100_000_000
        let run = try LoadRun(
            payload: fixture.payload,
            installs: fixture.installs,
            configuration: configuration
        )
        let report = run.finish()
        // Whatever still lay in its sockets has been read then.
        mock.stop()
        return Evidence(
            setting: setting,
            report: report,
            counts: mock.statistics.counts(),
            ledger: try #require(run.ledger),
            arrivals: try #require(check.arrivals)
        )
    }

    // MARK: - The judgement

    private static func judge(_ evidence: Evidence, of plan: ProofPlan) {
        let (report, counts) = (evidence.report, evidence.counts)
        let account = report.account
        let said: Comment =
            "seed \(evidence.setting.seed): \(account), \(counts.json), \(report.firstFailure ?? "")"
        #expect(account.addsUp, said)
        #expect(account.neverSent == 0, said)
        // Each install had its own text in its own language, and none was accepted twice.
        #expect(counts.contentFaults.isEmpty, said)

        if evidence.setting.mockEngine == .wire {
            // It waits for the sender to know of a lower limit; nghttp2 refuses what is on its way.
            #expect(counts[.streamsOverLimit] == 0, said)
        }

        var contradictions = 0
        for install in 0..<ProofScale.pushes {
            let hasArrived = evidence.arrivals.contains(install)
            switch evidence.ledger.outcome(of: install) {
            case .accepted where !hasArrived, .rejected where hasArrived,
                .neverSent where hasArrived:
                contradictions += 1
            default: break
            }
        }
        #expect(contradictions == 0, said)

        // Refusals are the only pushes that the mock may have seen more than once, as often as the
        // sender says.
        let refusals = UInt64(account.rejected.values.reduce(0, +) + report.retried)
        let accepted = UInt64(account.accepted)
        guard plan.leavesDoubt else {
            #expect(account.unknown == 0, said)
            #expect(counts.accepted == accepted, said)
            #expect(counts.refused == refusals, said)
            return
        }
        let unknown = UInt64(account.unknown)
        #expect(counts.accepted + counts.refused <= accepted + refusals + unknown, said)
        #expect(counts.accepted >= accepted && counts.refused >= refusals, said)
        // No doubt is greater than what was done to the connections.
        let broken = counts[.connectionResets] + counts[.silentDeaths]
        let most = counts[.streamsFailed] + broken * UInt64(evidence.setting.streams)
        #expect(unknown <= most, said)
        #expect(unknown >= counts[.streamsFailed], said)
    }
}

/// What the runs of a personality come to.
private struct ProofSum: CustomStringConvertible {
    private var runs = 0
    private var account = RunReport.Account()
    private var rejected = 0
    private var again = 0
    private var connections = 0
    private var doubtful: UInt64 = 0

    mutating func add(_ report: RunReport, _ counts: MockCounts) {
        runs += 1
        account.audience += report.account.audience
        account.accepted += report.account.accepted
        account.unknown += report.account.unknown
        rejected += report.account.rejected.values.reduce(0, +)
        again += report.resent + report.retried
        connections += report.connectionsOpened
        doubtful += counts.accepted - UInt64(report.account.accepted)
    }

    var description: String {
        "\(runs) runs, \(account.audience) pushes: \(account.accepted) accepted, \(rejected) "
            + "rejected, \(account.unknown) unknown (\(doubtful) of them had arrived), \(again) "
            + "sent again, \(connections) connections"
    }
}
