import Foundation
import HDRHistogram
import LoadEngine
import Results

// From what the engine measured to what is stored.
extension RunPlan {
    /// The result file of a measurement.
    func result(of measured: Measurement) throws -> ResultFile {
        let records = try measured.reports.map { try record($0, measured.earlier) }
        var slo = options.objectives.map { $0.evaluate(records) }
        var evidence: [String] = []
        var bottleneck: String?
        var isValid = true
        for (report, record) in zip(measured.reports, records) {
            let finding = Bottleneck(report, record, load: options.load)
            bottleneck = bottleneck ?? finding?.name
            evidence += finding.map { [$0.evidence] } ?? []
            isValid = isValid && finding?.voidsTheRun != true
            if let objective = finding?.missedRate { slo.append(objective) }
        }
        for finding in [measured.mockDisagreement, measured.contentFaults].compactMap(\.self) {
            evidence.append(finding)
            isValid = false
        }
        return ResultFile(
            id: ResultFile.makeID(startedAt: measured.startedAt),
            startedAt: measured.startedAt,
            finishedAt: measured.finishedAt,
            complete: !measured.wasInterrupted,
            build: Build.current(
                version: Pushbench.version,
                environment: ProcessInfo.processInfo.environment
            ),
            machine: Machine.current(since: measured.processorTimes),
            workload: workload(
                tls: measured.reports.lazy.compactMap(\.tlsVersion).first ?? "none",
                auth: measured.auth
            ),
            runs: records,
            verdict: Verdict(
                bottleneck: bottleneck,
                evidence: evidence,
                valid: isValid,
                slo: slo
            )
        )
    }

    private func record(_ report: RunReport, _ earlier: RunJournal.Earlier) throws -> RunRecord {
        let account = Account(
            audience: report.account.audience,
            accepted: report.account.accepted,
            rejected: report.account.rejected,
            unknown: report.account.unknown,
            neverSent: report.account.neverSent,
            duplicates: report.account.duplicates
        )
        let badTokens = earlier.badTokens.count + report.rejectedTokens.count
        var offered: Double?
        if case .openLoop(let rate, _) = options.load { offered = rate }
        return RunRecord(
            account: account.continuing(earlier),
            throughput: Throughput(
                acknowledged: account.acknowledged,
                // What was sent into the void is no throughput.
                bytes: account.acknowledged > 0 ? report.bodyBytes : 0,
                elapsedNanoseconds: Int64(clamping: report.sendNanoseconds),
                sent: account.audience - account.neverSent,
                offeredRate: offered
            ),
            makespan: Makespan(report.makespan, audience: account.audience),
            latency: Latency(
                response: try LatencySummary(report.latency.response),
                service: try LatencySummary(report.latency.service),
                lateness: try LatencySummary(report.latency.lateness)
            ),
            cost: cost(report, answered: account.acknowledged),
            preparation: report.preparation.map { preparation in
                Preparation(
                    secrets: preparation.secrets,
                    elapsed: Int64(clamping: preparation.nanoseconds),
                    cpuNanosecondsPerPush: Double(preparation.cpuNanoseconds)
                        / Double(max(1, preparation.secrets)),
                    bytes: preparation.bytes,
                    elapsedWithSend: Int64(
                        clamping: preparation.nanoseconds &+ report.sendNanoseconds
                    )
                )
            },
            repeats: report.resent + report.retried == 0 && report.retriedReasons.isEmpty
                ? nil
                : Repeats(
                    resent: report.resent,
                    retried: report.retried,
                    reasons: report.retriedReasons
                ),
            badTokens: badTokens > 0 ? badTokens : nil,
            renewals: report.renewals.isEmpty ? nil : report.renewals.map(renewal),
            connections: report.connections.map { connection in
                ConnectionRecord(
                    opened: Int64(clamping: connection.opened),
                    closed: Int64(clamping: connection.closed),
                    reason: connection.reason,
                    pushes: connection.pushes
                )
            },
            moreConnections: report.moreConnections.isEmpty
                ? nil
                : report.moreConnections.map { total in
                    ConnectionTotal(
                        reason: total.reason,
                        connections: total.connections,
                        pushes: total.pushes
                    )
                },
            series: report.series.map { point in
                SeriesPoint(
                    t: Int64(point.second + 1) * 1_000_000_000,
                    sent: point.sent,
                    accepted: point.accepted,
                    rejected: point.rejected,
                    p50: point.service.map { Int64(clamping: $0.p50) },
                    p99: point.service.map { Int64(clamping: $0.p99) },
                    responseP50: point.response.map { Int64(clamping: $0.p50) },
                    responseP99: point.response.map { Int64(clamping: $0.p99) },
                    inFlight: point.inFlight
                )
            },
            continuation: Continuation(earlier)
        )
    }

    private func renewal(_ renewal: RunReport.Renewal) -> TokenRenewal {
        TokenRenewal(
            t: Int64(clamping: renewal.instant),
            pushesPerSecond: renewal.rate.map(Double.init),
            usualPushesPerSecond: renewal.usualRate.map(Double.init)
        )
    }

    private func cost(_ report: RunReport, answered: Int) -> Cost {
        guard answered > 0 else {
            return Cost(peakRSSBytes: Int64(clamping: report.cost.peakRSSBytes))
        }
        func perPush(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / Double(answered) }
        return Cost(
            cpuNanosecondsPerPush: perPush(report.cost.cpuNanoseconds),
            stages: [
                "render": Cost.Stage(
                    cpuNanosecondsPerPush: perPush(report.cost.renderNanoseconds)
                ),
                "send": Cost.Stage(cpuNanosecondsPerPush: perPush(report.cost.loopNanoseconds)),
            ],
            peakRSSBytes: Int64(clamping: report.cost.peakRSSBytes)
        )
    }
}
