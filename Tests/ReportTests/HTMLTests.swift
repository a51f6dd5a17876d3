import Testing

@testable import Report

@Suite struct HTMLTests {
    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (#"" onload="x"#, "&quot; onload=&quot;x"),
        ("' & '", "&#39; &amp; &#39;"),
        ("a\nb\tc", "a\nb\tc"),
        ("\u{0}\u{1b}[31m", "\u{FFFD}\u{FFFD}[31m"),
        // Right-to-left override and a line separator would show another text than is there.
        ("\u{202e}gpj.exe\u{2028}", "\u{FFFD}gpj.exe\u{FFFD}"),
        ("Masanız hazır 🚚", "Masanız hazır 🚚"),
    ])
    func interpolatedStringsAreEscaped(text: String, expected: String) {
        let html: HTML = "<td title=\"\(text)\">\(text)</td>"
        #expect(html.text == "<td title=\"\(expected)\">\(expected)</td>")
    }

    @Test func interpolatedMarkupIsKept() {
        let cell: HTML = "<b>\("1 < 2")</b>"
        let row: HTML = "<tr>\([cell, cell])</tr>"
        #expect(row.text == "<tr><b>1 &lt; 2</b><b>1 &lt; 2</b></tr>")
    }

    @Test(arguments: [
        ("</script>", #"<\/script>"#),
        ("</SCRIPT ", #"<\/SCRIPT "#),
        ("<!--<script>", #"<\!--<script>"#),
        ("</style>", #"<\/style>"#),
        ("a<b</b>", "a<b</b>"),
        ("<", "<"),
        ("<</script", #"<<\/script"#),
    ])
    func sourcesCannotEndTheirElement(source: String, expected: String) {
        #expect(HTML.inert(source) == expected)
    }

    @Test(arguments: [
        (Double.nan, "0.0"), (.infinity, "0.0"), (1e300, "0.0"), (12.3456, "12.35"), (-1, "-1.0"),
    ])
    func coordinatesAreNumbersThatCanBeDrawn(value: Double, expected: String) {
        let html: HTML = "\(coordinate: value)"
        #expect(html.text == expected)
    }
}
