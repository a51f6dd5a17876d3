import Results

extension Report {
    /// Where every install ended.
    var account: Section? {
        guard sides.contains(where: { $0.run != nil }) else { return nil }
        var table = ReportTable(
            caption: "Account",
            corner: "outcome",
            heads: isPair ? sides.flatMap { [$0.letter, "share"] } : ["pushes", "share"]
        )
        table.isUnderItsHeading = true
        func add(_ name: String, note: String? = nil, _ count: (Account) -> Int?) {
            let counts = sides.map { side in side.run.flatMap { count($0.account) } }
            table.add(
                name,
                note: note,
                zip(sides, counts).flatMap { side, count -> [String?] in
                    let audience = Double(side.run?.account.audience ?? 0)
                    let share = count.flatMap { audience > 0 ? Double($0) / audience : nil }
                    return [count.map { HumanFormat.count($0) }, share.map(HumanFormat.percent)]
                }
            )
        }
        add("audience") { $0.audience }
        add("accepted", note: "answered with 200") { $0.accepted }
        add("rejected") { $0.rejectedTotal }
        let (reasons, others) = rejectionReasons
        for reason in reasons { add("· \(reason)") { $0.rejected[reason] } }
        if others > 0 {
            add("· \(others) more reasons") { account in
                account.rejected.reduce(0) { reasons.contains($1.key) ? $0 : $0 &+ $1.value }
            }
        }
        add("unknown", note: "sent, never answered") { $0.unknown }
        add("never sent") { $0.neverSent }
        if sides.contains(where: { $0.run?.account.duplicates != nil }) {
            add("doubled") { $0.duplicates }
        }
        let bars = sides.compactMap { side in side.run.map { bar(side, $0.account) } }
        return Section(
            anchor: "account",
            title: "Account",
            body: """
                <p class="hint">Every install ends exactly once; the four add up to the audience.</p>
                \(bars)\(table.html())
                """
        )
    }

    /// The reasons of all sides, the most frequent first, and how many more there are.
    private var rejectionReasons: (shown: [String], others: Int) {
        var counts: [String: Int] = [:]
        for side in sides {
            counts.merge(side.run?.account.rejected ?? [:], uniquingKeysWith: &+)
        }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        return (Array(sorted.prefix(30)), max(0, sorted.count - 30))
    }

    /// A bar of the four outcomes; drawn here, so that it needs no library.
    private func bar(_ side: ReportSide, _ account: Account) -> HTML {
        let audience = max(Double(account.audience), 1)
        let parts: [(HTML, Int)] = [
            ("accepted", account.accepted), ("rejected", account.rejectedTotal),
            ("unknown", account.unknown), ("never", account.neverSent),
        ]
        var start = 0.0
        var rectangles: [HTML] = []
        for (style, count) in parts {
            let share = min(max(Double(count) / audience, 0), 1 - start)
            // One lost push in a million is not to be overlooked.
            let width = count > 0 ? max(share * 1000, 4) : 0
            guard width > 0 else { continue }
            rectangles.append(
                """
                <rect class="\(style)" x="\(coordinate: min(start * 1000, 1000 - width))" y="0" \
                width="\(coordinate: width)" height="20"/>
                """
            )
            start += share
        }
        let state = account.addsUp ? "adds up" : "does not add up"
        return """
            <div class="account">\(letter(of: side))<svg viewBox="0 0 1000 20" \
            preserveAspectRatio="none" aria-hidden="true">\(rectangles)</svg>\
            <span class="badge \(account.addsUp ? "good" : "bad" as HTML)">\(state)</span></div>

            """
    }

    /// The most remarks of a result: a long run renews its token many times.
    private static let mostRemarks = 50

    /// What most runs have nothing of: what was sent again, renewed, prepared or taken over.
    var remarks: Section? {
        let found = sides.map { side in side.run.map(Summary.remarks) ?? [] }
        guard found.contains(where: { !$0.isEmpty }) else { return nil }
        var table = ReportTable(
            caption: "Remarks",
            corner: "about",
            heads: heads(single: "what happened")
        )
        table.isUnderItsHeading = true
        // What both sides have something to say of stands in one row.
        var rows: [(name: String, texts: [String?])] = []
        for (side, remarks) in found.enumerated() {
            for remark in remarks.prefix(Self.mostRemarks) {
                let place = rows.firstIndex { $0.name == remark.name && $0.texts[side] == nil }
                if place == nil { rows.append((remark.name, sides.map { _ in nil })) }
                rows[place ?? rows.count - 1].texts[side] = remark.text
            }
        }
        for row in rows { table.add(row.name, row.texts) }
        let more = found.map { max(0, $0.count - Self.mostRemarks) }
        if more.contains(where: { $0 > 0 }) {
            table.add("and more", more.map { $0 > 0 ? HumanFormat.count($0) : nil })
        }
        return Section(anchor: "remarks", title: "Remarks", body: table.html(isWords: true))
    }

    /// How connections fared, put together: there may be thousands.
    var connections: Section? {
        guard sides.contains(where: { $0.run.map { !$0.connections.isEmpty } ?? false }) else {
            return nil
        }
        var table = ReportTable(
            caption: "Connections",
            corner: "connections",
            heads: heads(single: "count")
        )
        table.isUnderItsHeading = true
        func add(_ name: String, _ count: (RunRecord) -> Int?) {
            table.add(
                name,
                sides.map { side in side.run.flatMap(count).map { HumanFormat.count($0) } }
            )
        }
        add("opened", \.connectionsOpened)
        if sides.allSatisfy({ $0.run?.moreConnections == nil }) {
            add("fewest pushes on one") { $0.connections.map(\.pushes).min() }
            add("most pushes on one") { $0.connections.map(\.pushes).max() }
        }
        var reasons: [String: Int] = [:]
        for side in sides {
            reasons.merge(side.run?.connectionsByReason ?? [:], uniquingKeysWith: +)
        }
        let sorted = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        for reason in sorted.prefix(20) {
            add("closed early: \(reason)") { $0.connectionsByReason[reason] ?? 0 }
        }
        return Section(anchor: "connections", title: "Connections", body: table.html())
    }
}
