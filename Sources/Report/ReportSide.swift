import Results

/// One of the results on the page.
struct ReportSide: Sendable {
    /// `A` for the first, `B` for the second.
    let letter: String
    /// The name of the file.
    let name: String
    let result: ResultFile
    /// The repetition that is shown; nil where nothing was measured.
    let run: RunRecord?

    init(letter: String, name: String, result: ResultFile) {
        self.letter = letter
        self.name = name
        self.result = result
        run = result.medianRun
    }

    /// How a badge shows what the verdict says.
    var verdict: (text: String, style: HTML) {
        if !result.complete { return ("partial", "bad") }
        if let run, !run.account.addsUp { return ("account does not add up", "bad") }
        guard result.verdict.valid else { return ("void", "bad") }
        let missed = result.verdict.slo.count { !$0.met }
        if missed > 0 {
            return (missed == 1 ? "1 objective missed" : "\(missed) objectives missed", "bad")
        }
        return ("valid", "good")
    }
}
