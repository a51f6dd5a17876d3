/// A table of the page: the heads of its columns and rows of as many cells.
struct ReportTable {
    /// What the table shows, for those who do not see it in its place.
    let caption: String
    /// The head over the first column, which has the names of the rows.
    let corner: String
    let heads: [String]
    /// Whether a heading says the same already: then the caption is for screen readers alone.
    var isUnderItsHeading = false
    private var rows: [HTML] = []

    init(caption: String, corner: String, heads: [String]) {
        self.caption = caption
        self.corner = corner
        self.heads = heads
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; a missing cell is shown as a dash.
    mutating func add(_ name: String, note: String? = nil, _ cells: [String?]) {
        addMarkup(name, note: note, cells.map { cell -> HTML? in cell.map { "\($0)" } })
    }

    /// Adds a row of markup.
    mutating func addMarkup(_ name: String, note: String? = nil, _ cells: [HTML?]) {
        let hint = note.map { " <small>\($0)</small>" as HTML } ?? ""
        rows.append(
            "<tr><th scope=\"row\">\(name)\(hint)</th>\(cells.map { "<td>\($0 ?? "–")</td>" as HTML })</tr>\n"
        )
    }

    /// The table; scrolls sideways by itself where a screen is narrow.
    func html(isWords: Bool = false) -> HTML {
        let head = heads.map { "<th scope=\"col\">\($0)</th>" as HTML }
        let quiet: HTML = isUnderItsHeading ? " class=\"quiet\"" : ""
        let style: HTML = isWords ? "words" : "numbers"
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)">\
            <table class="\(style)"><caption\(quiet)>\(caption)</caption>
            <thead><tr><th scope="col">\(corner)</th>\(head)</tr></thead>
            <tbody>
            \(rows)</tbody></table></div>

            """
    }

    /// The table behind a line that opens it.
    func folded(_ title: String) -> HTML {
        "<details><summary>\(title)</summary>\(html())</details>\n"
    }
}
