public import Regression
public import Results

/// A page about one result, or about two beside each other.
///
/// One HTML file that asks the network for nothing. All numbers are in its tables; the plots are
/// drawn by D3 when the page is opened.
public struct Report: Sendable {
    /// A part of the page with a heading of its own.
    struct Section: Sendable {
        /// The anchor, a word.
        let anchor: HTML
        let title: HTML
        let body: HTML
    }

    let sides: [ReportSide]
    let trends: [Trend]

    /// Makes the page's content.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - name: How the page calls it, the name of its file as a rule.
    ///   - other: A second one to show beside it, with its name; nil for none.
    ///   - history: How metrics went in results of the first one's workload and machine; those
    ///     without a point are left out.
    public init(
        _ result: ResultFile,
        name: String,
        beside other: (result: ResultFile, name: String)? = nil,
        history: [Trend] = []
    ) {
        var sides = [ReportSide(letter: "A", name: name, result: result)]
        if let other {
            sides.append(ReportSide(letter: "B", name: other.name, result: other.result))
        }
        self.sides = sides
        trends = history.filter { !$0.points.isEmpty }
    }

    /// Whether two results are shown.
    var isPair: Bool { sides.count > 1 }

    /// The parts of the page in their order; one about which nothing is known is left out.
    var sections: [Section] {
        [
            summary, latency, overTime, makespan, cost, account, remarks, connections, repetitions,
            history,
            verdict, environment,
        ].compactMap(\.self)
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - plots: The library that draws; nil leaves the plots out and says so.
    ///   - nonce: A word that nobody else knows. Only scripts and styles that bear it are run, so that
    ///     a result which found a way to bring its own would still be powerless.
    /// - Returns: The whole file.
    /// - Throws: ``ReportError`` where the plots' numbers cannot be written.
    public func html(plots: PlotLibrary?, nonce: String) throws(ReportError) -> String {
        let data = try PlotData.json(PlotData(sides, history: trends))
        let sections = sections
        let links = sections.map { "<a href=\"#\($0.anchor)\">\($0.title)</a>\n" as HTML }
        let bodies = sections.map { section in
            """
            <section id="\(section.anchor)" aria-labelledby="\(section.anchor)-title">
            <h2 id="\(section.anchor)-title">\(section.title)</h2>
            \(section.body)</section>

            """ as HTML
        }
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; "
            + "img-src data:; base-uri 'none'; form-action 'none'"
        let title = "pushbench: \(sides.map(\.name).joined(separator: " and "))"
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <link rel="icon" href="data:,">
            <title>\(title)</title>
            <style nonce="\(nonce)">
            \(source: Self.styles)</style>
            </head>
            <body>
            \(header)<nav aria-label="Parts of the page">\(links)</nav>
            <main>
            \(plots == nil ? Self.missingLibrary : "")\(bodies)</main>
            <footer>Made by pushbench from \(sides.map(\.name).joined(separator: " and ")). \
            Percentiles are of merged histograms, never means of percentiles.</footer>
            <script type="application/json" id="data">\(source: data)</script>
            \(plots.map { Self.script($0.source, nonce) } ?? "")\(Self.script(Self.code, nonce))\
            </body>
            </html>

            """
        return page.text
    }

    private static func script(_ source: String, _ nonce: String) -> HTML {
        "<script nonce=\"\(nonce)\">\n\(source: source)\n</script>\n"
    }

    private static let missingLibrary: HTML = """
        <p class="note" role="note">The plots are left out, since D3 was not found when the page was \
        written: Debian's package <code>\(PlotLibrary.package)</code> brings it. The tables have all \
        the numbers.</p>

        """

    /// The code that draws and the style sheet, from this module's own resources.
    private static let code = String(decoding: PackageResources.page_js, as: UTF8.self)
    private static let styles = String(decoding: PackageResources.page_css, as: UTF8.self)
}

// MARK: - The top of the page

extension Report {
    private var header: HTML {
        let heads = sides.map { side in
            let verdict = side.verdict
            let letter: HTML =
                isPair ? "<span class=\"letter side-\(side.letter)\">\(side.letter)</span> " : ""
            return """
                <div class="side"><p class="name">\(letter)<strong>\(side.name)</strong> \
                <span class="badge \(verdict.style)">\(verdict.text)</span></p>
                <p class="what">\(Summary.title(of: side.result))</p>
                <p class="when">\(Self.time(side.result.startedAt)) · \(side.result.machine.cpu) · \
                \(side.result.build.text)</p></div>

                """ as HTML
        }
        return """
            <header>
            <div class="bar"><h1>Push fan-out report</h1>\
            <button type="button" id="theme" hidden>Theme: system</button></div>
            <div class="sides">\(heads)</div>
            \(differences)</header>

            """
    }

    /// What keeps two results from being compared.
    private var differences: HTML {
        guard isPair else { return "" }
        let (first, second) = (sides[0].result, sides[1].result)
        var unlike: [String] = []
        if first.machine.key != second.machine.key { unlike.append("on another kind of machine") }
        if first.workload.hash != second.workload.hash { unlike.append("of another workload") }
        guard !unlike.isEmpty else { return "" }
        return """
            <p class="note bad" role="note">B is \(unlike.joined(separator: " and ")): look at both, but \
            do not take a difference for a change of the program.</p>

            """
    }
}
