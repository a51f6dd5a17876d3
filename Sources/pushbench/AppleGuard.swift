import LoadEngine

/// What must be given before a push goes to Apple: real people would get it, and Apple takes many bad
/// pushes for an attack (contract 1.1).
enum AppleGuard {
    /// The most pushes per second that a run may send to Apple: more than most senders have.
    static let highestRate = 1000.0

    private static let domain = "push.apple.com"

    /// Whether a host is Apple's, by its name.
    static func isApple(_ host: String) -> Bool {
        let name = canonical(host)
        return name == domain || name.hasSuffix("." + domain)
    }

    /// A host's name in lower case, without the dots that a name may end with.
    static func canonical(_ host: String) -> String {
        var name = host.lowercased()
        while name.hasSuffix(".") { name.removeLast() }
        return name
    }

    /// Refuses what must not go to Apple; looks at the command line alone, so nothing has left the
    /// machine by then.
    static func check(
        _ endpoints: [Target.Endpoint],
        _ arguments: Arguments,
        _ options: RunOptions
    ) throws(UsageError) {
        guard let endpoint = endpoints.first(where: { isApple($0.host) }) else { return }
        let host = endpoint.host
        func refuse(_ sentence: String) -> UsageError {
            UsageError("--target \(host) is Apple's: \(sentence)")
        }
        guard arguments.has("i-mean-apple") else {
            throw refuse(
                "real devices would get this push; measure against the mock, or add --i-mean-apple "
                    + "with --rate of at most \(Int(highestRate))."
            )
        }
        guard endpoints.allSatisfy({ $0.isTLS || !isApple($0.host) }) else {
            throw refuse("it speaks TLS only; give https://\(endpoint.authority).")
        }
        guard !arguments.has("insecure") else {
            throw refuse("--insecure would hand tokens to whoever answers; leave it out.")
        }
        guard case .openLoop(let rate, _) = options.load else {
            throw refuse(
                "a closed loop would send as fast as it can; give --rate of at most "
                    + "\(Int(highestRate))."
            )
        }
        guard rate <= highestRate else {
            throw refuse(
                "--rate \(arguments["rate"] ?? "") is over \(Int(highestRate)), the most that "
                    + "pushbench sends there."
            )
        }
        guard let installs = arguments["installs"], Int(installs) == nil else {
            throw refuse(
                "synthetic installs have no tokens of its, and each would be a BadDeviceToken; give "
                    + "--installs FILE."
            )
        }
        guard Credentials.areGiven(arguments) else {
            throw refuse("it takes no throw-away key; give --auth-key or --cert.")
        }
        guard arguments.has("topic") else {
            throw refuse("give your app's bundle id as --topic.")
        }
    }
}
