public import NetIO
public import PushModel

/// What a client certificate lets its holder do (contract 1.3, 1.4b).
///
/// A certificate that names no topic and no environment is none of Apple's: it is taken for every topic
/// and for both environments, so that a certificate made for a test needs no extensions.
public struct ClientCertificate: Sendable {
    /// Why it is refused; nil where it is good for this environment.
    let fault: ReasonCode?
    /// The topics that it names, its default topic first; empty where it names none.
    let topics: [[UInt8]]

    /// Makes a good certificate for some topics, or for all.
    public init(topics: [String] = []) {
        fault = nil
        self.topics = topics.map { Array($0.utf8) }
    }

    /// Judges the certificate that a client showed.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - environment: The environment that the mock stands for.
    public init(_ certificate: PeerCertificate, environment: APNsEnvironment) {
        var topics = certificate.topics
        if let userID = certificate.userID {
            topics.removeAll { $0 == userID }
            topics.insert(userID, at: 0)
        }
        self.topics = topics.map { Array($0.utf8) }
        let isForBoth = certificate.isForDevelopment == certificate.isForProduction
        let isForThis =
            isForBoth
            || (environment == .sandbox
                ? certificate.isForDevelopment : certificate.isForProduction)
        if certificate.rejection != nil {
            fault = ReasonCode(.badCertificate)
        } else {
            fault = isForThis ? nil : ReasonCode(.badCertificateEnvironment)
        }
    }

    /// The topic of a push that names none; nil where there are several or none.
    var defaultTopic: [UInt8]? { topics.count == 1 ? topics[0] : nil }

    /// Whether pushes to `topic` are allowed.
    func allows(_ topic: RawSpan) -> Bool {
        topics.isEmpty || topics.contains { topic.equals($0) }
    }
}
