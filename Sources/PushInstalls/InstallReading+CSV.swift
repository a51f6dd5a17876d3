import PushModel

/// What a CSV header says about the fields of each line.
struct CSVHeader {
    /// The column of each field; nil where it means nothing here.
    var columns: [InstallColumn?] = []
    /// The names of the columns that mean nothing here.
    var ignored: [String] = []

    init(names: [String], file: String) throws(InstallFileError) {
        for name in names {
            var copy = name
            let column = copy.withUTF8 { InstallColumn(named: UnsafeRawBufferPointer($0)) }
            if let column, columns.contains(column) {
                throw .repeatedColumn(name: file, column: name)
            }
            columns.append(column)
            if column == nil { ignored.append(name) }
        }
        guard columns.contains(.token) else {
            // A token is not repeated in an error, so a file without a header has its own.
            if names.contains(where: Self.isToken) { throw .missingHeader(name: file) }
            throw .missingTokenColumn(name: file, columns: names)
        }
    }

    private static func isToken(_ name: String) -> Bool {
        let shortestInUse = 32
        var copy = name
        return copy.withUTF8 { text in
            text.count >= shortestInUse
                && DeviceToken.firstNonDigit(in: UnsafeRawBufferPointer(text)) == nil
        }
    }
}

extension InstallReading {
    /// The place of each column's field in the record, by the column's raw value.
    private typealias Fields = UnsafeMutableBufferPointer<CSVSplitter.Field>

    mutating func runCSV() throws(InstallFileError) {
        let header = try readHeader()
        report.ignoredColumns = header.ignored
        let fields = Fields.allocate(capacity: InstallColumn.allCases.count)
        defer { fields.deallocate() }
        while true {
            switch try lines.advance() {
            case .end: return
            case .overlong:
                try refuse(.lineTooLong)
                continue
            case .line:
                if lines.line.isEmpty { continue }
            }
            fields.initialize(repeating: CSVSplitter.Field())
            if let problem = try splitRecord(header.columns, into: fields) {
                try refuse(problem)
                continue
            }
            let install: ParsedInstall
            do {
                install = try Self.parse(lines.line, fields)
            } catch {
                try refuse(error)
                continue
            }
            try take(install)
        }
    }

    private mutating func readHeader() throws(InstallFileError) -> CSVHeader {
        var step = try lines.advance()
        while step == .line, lines.line.isEmpty { step = try lines.advance() }
        if step == .end { throw .empty(name: lines.name) }
        var places: [CSVSplitter.Field] = []
        var splitter = CSVSplitter()
        let outcome = splitter.split(UnsafeBufferPointer(lines.line)) { places.append($1) }
        let problem: LineProblem? =
            switch outcome {
            case _ where step == .overlong: .lineTooLong
            case .openQuote: .openQuote
            case .textAfterQuote(let field): .textAfterQuote(field: field)
            case .complete: UTF8Text.isValid(UnsafeRawBufferPointer(lines.line)) ? nil : .notUnicode
            }
        if let problem {
            let fault = InstallFault(line: lines.lineNumber, problem)
            throw .malformedHeader(name: lines.name, fault: fault)
        }
        var names: [String] = []
        for place in places {
            let bytes = lines.line[place.start..<place.start + place.count]
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            let tail = bytes.drop(while: isBlank)
            let kept = tail.prefix(tail.reversed().drop(while: isBlank).count)
            names.append(String(decoding: kept, as: UTF8.self))
        }
        return try CSVHeader(names: names, file: lines.name)
    }

    /// Finds the fields of the record that starts at the current line.
    ///
    /// A record that cannot be split is refused as one line: the lines after it are read as
    /// records of their own, so that one stray quote does not swallow the rest of the file.
    private mutating func splitRecord(
        _ columns: [InstallColumn?],
        into fields: Fields
    ) throws(InstallFileError) -> LineProblem? {
        var splitter = CSVSplitter()
        while true {
            let outcome = splitter.split(UnsafeBufferPointer(lines.line)) { number, place in
                if number < columns.count, let column = columns[number] {
                    fields[column.rawValue] = place
                }
            }
            switch outcome {
            case .complete(let count):
                return count == columns.count
                    ? nil : .fieldCount(found: count, wanted: columns.count)
            case .openQuote:
                if try lines.extend() { continue }
                lines.shrinkToFirstLine()
                return .openQuote
            case .textAfterQuote(let field):
                lines.shrinkToFirstLine()
                return .textAfterQuote(field: field)
            }
        }
    }

    /// Checks the values of a record; an empty field is an absent one, except the token.
    private static func parse(
        _ record: UnsafeMutableBufferPointer<UInt8>,
        _ fields: Fields
    ) throws(LineProblem) -> ParsedInstall {
        guard UTF8Text.isValid(UnsafeRawBufferPointer(record)) else { throw .notUnicode }
        func text(_ column: InstallColumn) -> UnsafeRawBufferPointer {
            let field = fields[column.rawValue]
            let bytes = UnsafeMutableBufferPointer(
                rebasing: record[field.start..<field.start + field.count]
            )
            let count = field.hasDoubledQuotes ? CSVSplitter.undouble(bytes) : bytes.count
            return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count])
        }
        var install = ParsedInstall()
        install.token = text(.token)
        try InstallRules.checkToken(install.token)
        install.language = text(.language)
        try InstallRules.checkLanguage(install.language)
        install.environment = try InstallRules.environment(text(.environment))
        let badge = text(.badge)
        install.badge = badge.isEmpty ? nil : try InstallRules.badge(badge)
        install.uid = text(.uid)
        try InstallRules.checkUID(install.uid)
        let publicKey = text(.publicKey)
        let cipherName = text(.cipherName)
        if !publicKey.isEmpty || !cipherName.isEmpty {
            install.key = try InstallRules.key(publicKey, cipherName: cipherName)
        }
        return install
    }
}
