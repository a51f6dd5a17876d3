import HTTP2

extension RunCommand {
    /// The flags of `run`, also the keys of a scenario file in camelCase.
    static let spec = CommandSpec(
        name: "run",
        summary: "Sends a message to an audience and measures it.",
        positionals: ["[SCENARIO.json]"],
        flags: [
            .init(
                name: "target",
                value: "mock|URL",
                help: "Where to send: mock (an embedded one, default), https://HOST:PORT, or "
                    + "http://HOST:PORT (HTTP/2 without TLS)."
            ),
            .init(
                name: "sandbox-target",
                value: "URL",
                help: "Where pushes to installs of the sandbox go, over connections of their own "
                    + "(default: where all go; for api.push.apple.com its sandbox)."
            ),
            .init(name: "message", value: "FILE", help: "Message file, JSON or .apns; - is stdin."),
            .init(
                name: "dialect",
                value: "D",
                help: "Send the built-in sample message of a dialect: apns, mapp, salesforce, "
                    + "xulo (default)."
            ),
            .init(
                name: "option",
                value: "K=V",
                help: "An option of the dialect.",
                isRepeatable: true
            ),
            .init(
                name: "installs",
                value: "N|FILE",
                help: "Audience: N synthetic installs (default 200000), or a CSV or NDJSON file; "
                    + "- is stdin."
            ),
            .init(
                name: "languages",
                value: "MIX",
                help: "Language mix of synthetic installs, for example en=60,tr=20,de-DE=15."
            ),
            .init(name: "seed", value: "S", help: "Seed of all that is random (default 1)."),
            .init(name: "connections", value: "N", help: "Connections (default 1 per loop)."),
            .init(
                name: "streams",
                value: "N",
                help: "Most pushes in flight per connection (default 500); the target's own limit "
                    + "counts too."
            ),
            .init(
                name: "rate",
                value: "R",
                help: "Pushes per second by a schedule (open loop); without it as fast as answers "
                    + "come (closed loop)."
            ),
            .init(
                name: "arrivals",
                value: "A",
                help: "Spacing under --rate: constant (default) or poisson."
            ),
            .init(name: "pushes", value: "N", help: "So many pushes (default: the audience once)."),
            .init(name: "duration", value: "T", help: "Send for so long, for example 30s or 5m."),
            .init(
                name: "warmup",
                value: "T",
                help: "Leave the first T out of the latencies (default 0s)."
            ),
            .init(
                name: "render-workers",
                value: "N",
                help: "Dispatch queues that render (default: half the processors)."
            ),
            .init(
                name: "loops",
                value: "N",
                help: "Event loops (default: half the processors)."
            ),
            .init(name: "engine", value: "E", help: "HTTP/2 engine: wire (default) or nghttp2."),
            .init(
                name: "hpack",
                value: "P",
                help: "How the wire engine writes headers: indexed-auth (default), or strict, with "
                    + "the authorization in full in each request."
            ),
            .init(
                name: "encryption",
                value: "M",
                help: "Secrets of encrypted pushes: inline (default, made in the send) or prepared "
                    + "(made before it, held in memory)."
            ),
            .init(
                name: "require-encryption",
                value: nil,
                help: "Refuse a salesforce message to installs without a public key."
            ),
            .init(name: "auth-key", value: "FILE.p8", help: "Key of the provider token (ES256)."),
            .init(
                name: "key-id",
                value: "K",
                help: "Its key id, 10 characters (default: from the name AuthKey_KEYID.p8)."
            ),
            .init(name: "team-id", value: "T", help: "The team id, 10 characters."),
            .init(
                name: "cert",
                value: "FILE",
                help: "Client certificate, PEM or .p12, instead of a provider token."
            ),
            .init(name: "cert-key", value: "FILE", help: "Its private key, PEM."),
            .init(
                name: "cert-password-file",
                value: "FILE",
                help: "File with the password of the .p12."
            ),
            .init(
                name: "topic",
                value: "B",
                help: "Bundle id (default com.example.pushbench); the push type's suffix is added."
            ),
            .init(
                name: "cacert",
                value: "FILE",
                help: "CA that signs the target's certificate (default: the system's)."
            ),
            .init(
                name: "insecure",
                value: nil,
                help: "Take any server certificate; never for real."
            ),
            .init(
                name: "i-mean-apple",
                value: nil,
                help: "Send to Apple's own hosts: real devices get the pushes. Needs --rate of at "
                    + "most 1000, --installs FILE, --topic and a key or certificate."
            ),
            .init(
                name: "token-lifetime",
                value: "T",
                help: "Age at which the provider token is made anew, 20m to 55m (default 50m)."
            ),
            .init(
                name: "retry-limit",
                value: "N",
                help: "How often a push goes out again after an answer such as TooManyRequests or "
                    + "ServiceUnavailable (default 3; 0 is never)."
            ),
            .init(
                name: "retry-delay",
                value: "T",
                help: "Pause before the first time, then doubled (default 100ms for the embedded "
                    + "mock, 15m for Apple, else 1s); a longer retry-after is obeyed."
            ),
            .init(
                name: "resend",
                value: "WHAT",
                help: "Pushes whose connection was lost: safe (default) sends again what was "
                    + "certainly not processed; unknown also what may have been, with its apns-id."
            ),
            .init(
                name: "connect-timeout",
                value: "T",
                help: "For connect and TLS handshake, then for the first SETTINGS (default 5s)."
            ),
            .init(
                name: "answer-timeout",
                value: "T",
                help: "For any answer on a connection with pushes in flight (default 10s)."
            ),
            .init(
                name: "ping-interval",
                value: "T",
                help: "Silence on such a connection before it gets a PING (default 2s)."
            ),
            .init(
                name: "ping-timeout",
                value: "T",
                help: "Silence after a PING that means a dead connection (default 3s)."
            ),
            .init(
                name: "slo",
                value: "RULE",
                help: "Objective such as p99<50ms, makespan<10s, errors<0.1%, rate>=100000; exit "
                    + "code 4 where it is missed.",
                isRepeatable: true
            ),
            .init(name: "repeat", value: "N", help: "Make the run N times (default 1)."),
            .init(name: "shard", value: "I/N", help: "Send shard I (from 1) of N alone."),
            .init(
                name: "journal",
                value: "FILE",
                help: "Write down there what was sent and acknowledged. However the run ends, the "
                    + "same command continues with the rest."
            ),
            .init(
                name: "out",
                value: "FILE",
                help: "Write the result there; - is stdout, and the summary goes to stderr then."
            ),
            .init(
                name: "rejected-out",
                value: "FILE",
                help:
                    "List the tokens that the target calls bad there, as CSV for the owner alone; "
                    + "- is stdout, as with --out."
            ),
            .init(name: "save", value: nil, help: "Store the result under results/."),
            .init(
                name: "mock-option",
                value: "K=V",
                help: "A flag of the embedded mock, for example verify=headers.",
                isRepeatable: true
            ),
            MetricsFlag.flag,
            .init(name: "strict", value: nil, help: "Warnings and bad installs lines are errors."),
            .init(
                name: "allow-void",
                value: nil,
                help: "Exit 0 though pushbench itself was the bottleneck of an open loop."
            ),
            .init(name: "quiet", value: nil, help: "No progress line."),
            .init(name: "json", value: nil, help: "Print the result as JSON instead of a summary."),
        ],
        notes: """
            exit codes: 0 done, 1 run failed, 2 usage, 3 invalid input data, 4 objective not met,
            7 void (pushbench was the bottleneck), 8 the account does not add up or a
            content is wrong, 130 interrupted
            """
    )
}
