import Foundation
import NetIO

/// Client certificates with what Apple's push certificates hold, made by the program `openssl`.
struct TestCertificate {
    let identity: TLSIdentity
    let pem: String

    /// Apple's extensions: an empty value, or a list of topics.
    enum Mark {
        case development
        case production
        case topics([String])
        case voipTopics([String])

        /// The extension in the notation of `openssl req -addext`.
        var text: String {
            switch self {
            case .development: "1.2.840.113635.100.6.3.1=DER:0500"
            case .production: "1.2.840.113635.100.6.3.2=DER:0500"
            case .topics(let topics): "1.2.840.113635.100.6.3.6=DER:\(Self.list(topics))"
            case .voipTopics(let topics): "1.2.840.113635.100.6.3.4=DER:\(Self.list(topics))"
            }
        }

        /// A sequence of each topic and a sequence of its kinds; short forms of length alone.
        private static func list(_ topics: [String]) -> String {
            let kind: [UInt8] = [0x30, 5, 0x0C, 3] + Array("app".utf8)
            let members: [UInt8] = topics.reduce(into: []) {
                $0 += [0x0C, UInt8($1.utf8.count)] + Array($1.utf8) + kind
            }
            return ([0x30, UInt8(members.count)] + members)
                .map { byte in
                    let digits = String(byte, radix: 16)
                    return digits.count == 1 ? "0" + digits : digits
                }
                .joined()
        }
    }

    /// Makes a certificate that signs itself.
    init(userID: String? = nil, _ marks: Mark...) throws {
        let name = Scratch.directory + "/pushbench-test-\(UUID().uuidString)"
        let (certificateFile, keyFile) = (name + ".pem", name + ".key")
        defer {
            try? FileManager.default.removeItem(atPath: certificateFile)
            try? FileManager.default.removeItem(atPath: keyFile)
        }
        let report = try Scratch.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", (userID.map { "/UID=\($0)" } ?? "") + "/CN=Push", "-keyout", keyFile,
                "-out", certificateFile, "-days", "2",
            ] + marks.flatMap { ["-addext", $0.text] }
        )
        do {
            identity = try .load(certificateFile: certificateFile, keyFile: keyFile)
        } catch { throw MakingFailed(report: "\(error): \(report)") }
        pem = try String(contentsOfFile: certificateFile, encoding: .utf8)
    }

    struct MakingFailed: Error { var report: String }
}
