/// What reading an install file came to.
public struct InstallFileReport: Sendable, Equatable {
    /// The format the file was read as.
    public let format: InstallFileFormat
    /// How many installs were taken.
    public internal(set) var installs = 0
    /// How many lines were malformed and left out.
    ///
    /// Blank lines and the header are not counted.
    public internal(set) var malformed = 0
    /// The first malformed lines in detail, in the order of the file.
    public internal(set) var faults: [InstallFault] = []
    /// The columns of a CSV header that mean nothing here, in their order.
    public internal(set) var ignoredColumns: [String] = []
    /// How many installs carry a public key or a cipher name.
    public internal(set) var installsWithKey = 0

    private var countsByCode = [Int](repeating: 0, count: InstallFaultCode.allCases.count)

    init(format: InstallFileFormat) { self.format = format }

    /// How many lines were malformed with a code.
    ///
    /// - Parameter code: The code that the lines were counted under; a line has one, its first.
    /// - Returns: The number of lines.
    public func malformed(_ code: InstallFaultCode) -> Int {
        InstallFaultCode.allCases.firstIndex(of: code).map { countsByCode[$0] } ?? 0
    }

    mutating func note(_ problem: LineProblem, line: Int, keeping limit: Int) {
        malformed += 1
        if let index = InstallFaultCode.allCases.firstIndex(of: problem.code) {
            countsByCode[index] += 1
        }
        if faults.count < limit { faults.append(InstallFault(line: line, problem)) }
    }
}
