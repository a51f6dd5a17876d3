import Foundation
import HTTP2
import LoadEngine
import Metrics
import NetIO
import PushInstalls
import PushModel
import PushPayload
import Results

/// `pushbench run`: sends a message to an audience and measures it.
enum RunCommand {
    static func run(_ given: Arguments) throws -> ExitCode {
        var arguments = given
        let scenario = try given.positionals.first.map { path in
            try Scenario(path, into: &arguments, spec: spec)
        }
        let options = try RunOptions(arguments)
        let target = try Target(arguments["target"] ?? "mock")
        let sandbox = try Target.sandbox(arguments, besides: target)
        let mockWords = try MockProcess.words(ofOptions: arguments.all("mock-option"))
        if case .server = target, !mockWords.isEmpty {
            throw UsageError("--mock-option is for the embedded mock: --target is a server.")
        }
        let endpoints = target.endpoints + (sandbox.map { [$0] } ?? [])
        try AppleGuard.check(endpoints, arguments, options)
        if endpoints.contains(where: { !$0.isTLS }), Credentials.haveCertificate(arguments) {
            throw UsageError("--cert is shown in the TLS handshake: give the target as https://.")
        }
        try RunPlan.checkJournal(arguments, options)
        _ = try MockExpectation.installs(arguments, mockWords: mockWords)
        try DescriptorLimit.provide(
            forConnections: options.connections * (sandbox == nil ? 1 : 2),
            loops: options.loops
        )
        try StandardOutput.check(
            arguments,
            claimants: outputs,
            files: ["journal": "a journal is read again by the run that continues it"]
        )
        try ResultPlace.check(arguments)
        try FileClash.check(arguments)
        let credentials = try Credentials(arguments)
        // Before signals mean a polite end: a pipe may have to be waited for.
        try InputFile.check(arguments["cacert"], what: "CA file")
        let hasOwnMessage = given.has("message") || given.has("dialect")
        let source = try Message.source(
            arguments,
            inline: hasOwnMessage ? nil : scenario?.message
        )
        let audience = try Audience(
            arguments,
            seed: options.seed,
            needsUIDs: source.dialect?.needsInstallUID ?? false
        )
        tell(audience)
        let payload = try Message.compile(source, for: audience.table)
        try EncryptionCheck.check(
            payload,
            audience.table,
            isRequired: arguments.has("require-encryption")
        )
        guard audience.table.count > options.shard.index else {
            throw CommandFault(.invalidInput, "The audience has no installs for this run.")
        }
        if !options.isQuiet { Message.tellSizes(payload, for: audience.table) }

        let plan = RunPlan(
            arguments: arguments,
            options: options,
            payload: payload,
            audience: audience,
            source: source,
            scenario: scenario?.name
        )
        let journal = try plan.openJournal()
        if let journal {
            if journal.isComplete {
                return try concludeFinished(journal, plan: plan, auth: credentials.kind)
            }
            RunPlan.tell(journal)
        }
        let measured = try measure(
            plan,
            target: target,
            sandbox: sandbox,
            credentials: credentials,
            mockWords: mockWords,
            journal: journal
        )
        let code = try conclude(measured, plan: plan, arguments: arguments)
        guard let journal else { return code }
        journal.close()
        RunPlan.tellRest(of: journal)
        let isDone = journal.failure == nil && journal.settled == journal.pushes
        return code == .done && !isDone ? .runFailed : code
    }

    /// The flags that take `-` for standard output.
    private static let outputs = ["out", "rejected-out"]

    /// Prints what people read: to stderr where a flag has standard output for itself.
    private static func tell(_ text: String, _ arguments: Arguments) {
        guard StandardOutput.isClaimed(arguments, by: outputs) else {
            return Terminal.print(text, terminator: "")
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            Terminal.complain(String(line))
        }
    }

    /// Says that there is nothing to send, and what had come of it all: the exit code is by the same
    /// rule as the run's that ended it.
    private static func concludeFinished(
        _ journal: RunJournal,
        plan: RunPlan,
        auth: String
    ) throws -> ExitCode {
        var measured = Measurement(auth: auth, processorTimes: nil)
        measured.earlier = journal.earlier
        let result = try plan.result(ofFinished: measured)
        if plan.arguments.has("json") {
            Terminal.write([UInt8](try result.encoded()))
        } else {
            let earlier = journal.earlier
            var sentence =
                "All \(journal.pushes) pushes of \(journal.path) have ended: \(earlier.accepted) "
                + "accepted, \(earlier.rejections) rejected, \(earlier.unknown) unknown"
            if earlier.perhapsTwice > 0 {
                sentence += ", and up to \(earlier.perhapsTwice) may have arrived more than once"
            }
            tell(sentence + ". Nothing was sent.\n", plan.arguments)
        }
        try ResultPlace.store(result, plan.arguments)
        try RejectedTokensFile.write(measured, plan)
        return exitCode(of: result, measured, allowsVoid: true)
    }

    /// Says what was wrong with an audience's file.
    private static func tell(_ audience: Audience) {
        guard let report = audience.report, report.malformed > 0 else { return }
        for fault in report.faults.prefix(5) { Terminal.complain("pushbench: \(fault)") }
        let lines = report.malformed == 1 ? "line" : "lines"
        Terminal.complain(
            "pushbench: \(report.malformed) malformed \(lines) left out: see pushbench installs "
                + "check."
        )
    }

    // MARK: - Measuring

    private static func measure(
        _ plan: RunPlan,
        target: Target,
        sandbox: Target.Endpoint?,
        credentials: Credentials,
        mockWords: [String],
        journal: RunJournal?
    ) throws -> Measurement {
        // From here on Ctrl-C ends the run politely instead of the program.
        let stopper = Stopper()
        let metrics = RunMetrics()
        let signals = Signals([SIGINT, SIGTERM], onFirst: stopper.stop) {
            // At once: no other thread is waited for, and none is disturbed by `exit`.
            _exit(ExitCode.interrupted.rawValue)
        }
        defer { withExtendedLifetime(signals) {} }
        let metricsServer = try MetricsFlag.serve(plan.arguments, metrics.write)
        defer { metricsServer?.stop() }
        switch target {
        case .server(let endpoint):
            var configuration = try plan.configuration(
                endpoint: endpoint,
                sandbox: sandbox,
                caFile: plan.arguments["cacert"],
                isInsecure: plan.arguments.has("insecure"),
                credentials: credentials
            )
            configuration.journal = journal
            return try measure(plan, configuration, auth: credentials.kind, stopper, metrics)
        case .mock:
            let expectation = try MockExpectation(of: plan, mockWords: mockWords)
            let mock = try MockProcess(words: mockWords, expectation: expectation)
            let endpoint = Target.Endpoint(
                isTLS: mock.ready.caFile != nil,
                host: mock.ready.host,
                port: mock.ready.port
            )
            var configuration = try plan.configuration(
                endpoint: endpoint,
                caFile: mock.ready.caFile,
                isInsecure: false,
                credentials: credentials
            )
            configuration.journal = journal
            // Read by now; gone, it cannot be left behind.
            mock.removeFolder()
            var measured = try measure(
                plan,
                configuration,
                auth: credentials.kind,
                stopper,
                metrics
            )
            measured.check(
                against: try mock.stop(),
                mayDouble: plan.options.resend == .unknown
            )
            return measured
        }
    }

    private static func measure(
        _ plan: RunPlan,
        _ configuration: RunConfiguration,
        auth: String,
        _ stopper: Stopper,
        _ metrics: RunMetrics
    ) throws -> Measurement {
        var measured = Measurement(auth: auth, processorTimes: ProcessorTimes.current())
        measured.earlier = configuration.journal?.earlier ?? RunJournal.Earlier()
        for _ in 0..<plan.options.repetitions where !stopper.isStopped {
            let preparation = try prepare(plan, configuration, stopper)
            if stopper.isStopped, preparation != nil { break }
            let run = try LoadRun(
                payload: plan.payload,
                installs: plan.audience.table,
                keys: plan.audience.keys,
                preparation: preparation,
                configuration: configuration
            )
            stopper.attach(run.stop)
            metrics.begin(run)
            watch(run, plan: plan)
            measured.reports.append(run.finish())
            metrics.end()
        }
        measured.wasInterrupted = stopper.isStopped
        measured.finishedAt = Date()
        return measured
    }

    /// Makes the secrets of a run before it, where that was asked for.
    private static func prepare(
        _ plan: RunPlan,
        _ configuration: RunConfiguration,
        _ stopper: Stopper
    ) throws -> SecretPreparation? {
        guard plan.encryption == .prepared else { return nil }
        let preparation: SecretPreparation
        do throws(LoadError) {
            preparation = try SecretPreparation(
                installs: plan.audience.table,
                keys: plan.audience.keys,
                configuration: configuration
            )
        } catch { throw CommandFault(.invalidInput, error.description) }
        stopper.attach(preparation.stop)
        let isLive = Terminal.isInteractive && !plan.options.isQuiet
        while !preparation.isOver {
            usleep(20_000)
            guard isLive else { continue }
            let progress = preparation.progress
            Terminal.showLive("preparing secrets: \(progress.done) of \(progress.total)")
        }
        if isLive { Terminal.showLive("") }
        let made = preparation.finish()
        if let failure = preparation.failure { throw CommandFault(.runFailed, failure) }
        if !plan.options.isQuiet {
            Terminal.complain(
                "pushbench: \(made.secrets) secrets prepared, \(made.bytes >> 20) MiB in memory."
            )
        }
        return preparation
    }

    /// Shows the progress line until the run is over.
    private static func watch(_ run: LoadRun, plan: RunPlan) {
        let isLive = Terminal.isInteractive && !plan.options.isQuiet
        var meter = ProgressMeter(goal: plan.goal)
        var untilShown = 0
        while !run.isOver {
            usleep(10_000)
            guard isLive else { continue }
            untilShown -= 1
            if untilShown <= 0 {
                untilShown = 20
                let moment = meter.moment(of: run.progress)
                Terminal.showLive(ProgressLine.text(moment, columns: Terminal.columns - 1))
            }
        }
        if isLive { Terminal.showLive("") }
    }

    // MARK: - The result

    private static func conclude(
        _ measured: Measurement,
        plan: RunPlan,
        arguments: Arguments
    ) throws -> ExitCode {
        let result = try plan.result(of: measured)
        if measured.nothingWasSent, let failure = measured.firstFailure,
            !measured.wasInterrupted
        {
            throw CommandFault(.runFailed, failure)
        }
        // Told after the result has been shown: that much is not lost.
        let storing = Result { try ResultPlace.store(result, arguments) }
        let listing = Result { try RejectedTokensFile.write(measured, plan) }
        if arguments.has("json") {
            Terminal.write([UInt8](try result.encoded()))
        } else {
            let isOnTerminal =
                Terminal.hasColours && !StandardOutput.isClaimed(arguments, by: outputs)
            tell(Summary.text(of: result, isTerminal: isOnTerminal), arguments)
        }
        if let failure = measured.firstFailure { Terminal.complain("pushbench: \(failure)") }
        if let disagreement = measured.mockDisagreement {
            Terminal.complain("pushbench: The account does not add up: \(disagreement).")
        }
        if let faults = measured.contentFaults {
            Terminal.complain("pushbench: Contents are wrong: \(faults).")
        }
        try storing.get()
        try listing.get()
        return exitCode(of: result, measured, allowsVoid: arguments.has("allow-void"))
    }

    private static func exitCode(
        of result: ResultFile,
        _ measured: Measurement,
        allowsVoid: Bool
    ) -> ExitCode {
        if measured.wasInterrupted { return .interrupted }
        if !result.runs.allSatisfy(\.account.addsUp) || measured.mockDisagreement != nil
            || measured.contentFaults != nil
        {
            return .accountMismatch
        }
        if measured.isIncomplete { return .runFailed }
        if !result.verdict.valid, !allowsVoid { return .void }
        if !result.verdict.slo.allSatisfy(\.met) { return .objectiveNotMet }
        return .done
    }
}

/// Passes a signal on to the phase that is under way.
private final class Stopper: @unchecked Sendable {
    // Safe to share: all state is behind the lock.
    private let lock = NSLock()
    private var action: (@Sendable () -> Void)?
    private var wasStopped = false

    var isStopped: Bool { lock.withLock { wasStopped } }

    /// Names what ends the phase that begins now.
    func attach(_ action: @escaping @Sendable () -> Void) {
        let stopsAtOnce = lock.withLock {
            self.action = action
            return wasStopped
        }
        if stopsAtOnce { action() }
    }

    @Sendable func stop() {
        let current = lock.withLock {
            wasStopped = true
            return action
        }
        Terminal.complain("Stopping: the pushes in flight get a moment. Once more leaves at once.")
        current?()
    }
}
