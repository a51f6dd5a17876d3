public import PushCrypto
import PushModel
public import PushPayload
import Synchronization

/// Looks into the bodies of pushes that the rules accepted.
///
/// Without an expectation each body is read by its dialect, encrypted content is opened, and no
/// secret may come twice. With one each install must get its own text in its own language, under
/// its own key, and once. A fault is counted and changes no answer. Shared by all loops.
public final class ContentCheck: Sendable {
    /// How many faulty pushes are kept as examples.
    static let mostExamples = 10
    /// The digits of a token that an example shows.
    private static let tokenDigits = 8

    /// The dialect of all bodies; nil to tell it by each one's keys.
    let dialect: Dialect?
    /// The private keys; nil where there are none.
    let opener: ContentOpener?
    /// What each install should get; nil where nobody knows.
    let expectation: ContentExpectation?
    /// Which installs got a push, where that is looked at.
    let arrivals: ArrivalMap?
    let secrets = SecretLog()
    private let kept = Mutex<[ContentFaultExample]>([])

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - dialect: The dialect of all bodies; nil to tell it by each one's keys.
    ///   - opener: The private keys; nil where there are none.
    ///   - expectation: What each install should get; nil where nobody knows.
    public init(
        dialect: Dialect? = nil,
        opener: ContentOpener? = nil,
        expectation: ContentExpectation? = nil
    ) {
        self.dialect = dialect
        self.opener = opener
        self.expectation = expectation
        arrivals = expectation.flatMap {
            $0.arrivesOnce ? ArrivalMap(count: $0.installs.count) : nil
        }
    }

    /// The first faulty pushes.
    var examples: [ContentFaultExample] { kept.withLock { $0 } }

    /// Keeps a fault as an example, while there are few.
    func keep(_ fault: ContentFault, token: RawSpan) {
        kept.withLock { examples in
            guard examples.count < Self.mostExamples else { return }
            let start = token.extracting(first: Self.tokenDigits).copied
            let text = String(decoding: start, as: UTF8.self)
            examples.append(ContentFaultExample(fault: fault, tokenStart: text))
        }
    }

    /// Forgets which installs got a push, and the examples; secrets may still not come again.
    func reset() {
        arrivals?.clear()
        kept.withLock { $0 = [] }
    }
}
