// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
// Functions that take an `inout` span beside another span need the experimental `Lifetimes`.
let lowLevel = strict + [.enableExperimentalFeature("Lifetimes")]

let cSettings: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]
let cxxSettings: [CXXSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]

let package = Package(
    name: "pushbench",
    products: [
        .executable(name: "pushbench", targets: ["pushbench"])
    ],
    targets: [
        // System libraries, from Debian's packages.
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CNghttp2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"])]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // simdjson's pkg-config file carries a define that SwiftPM refuses with a warning.
        .systemLibrary(name: "CSimdjson", providers: [.apt(["libsimdjson-dev"])]),

        // Shims: what Swift's importer cannot see, and the C++ libraries behind a C face.
        .target(name: "CShims", dependencies: ["COpenSSL"], cSettings: cSettings),
        .target(
            name: "CJSON",
            dependencies: ["CSimdjson"],
            cxxSettings: cxxSettings,
            // A module map's link line reaches Swift importers only, and this target is C++.
            linkerSettings: [.linkedLibrary("simdjson")]
        ),

        // Leaves.
        .target(name: "FlatJSON", dependencies: ["CJSON"], swiftSettings: lowLevel),
        .target(name: "PushModel", swiftSettings: lowLevel),
        .target(name: "PushBuffers", swiftSettings: lowLevel),
        .target(name: "HDRHistogram", dependencies: ["CZlib"], swiftSettings: lowLevel),

        .target(
            name: "PushCrypto",
            dependencies: ["PushModel", "COpenSSL", "CShims", "FlatJSON"],
            swiftSettings: lowLevel
        ),
        .target(
            name: "PushInstalls",
            dependencies: ["PushModel", "PushCrypto", "CJSON"],
            swiftSettings: lowLevel
        ),
        .target(
            name: "PushPayload",
            dependencies: ["PushModel", "PushBuffers", "PushCrypto", "CJSON"],
            swiftSettings: lowLevel
        ),
        .target(
            name: "HTTP2",
            dependencies: ["PushBuffers", "CNghttp2"],
            swiftSettings: lowLevel
        ),
        .target(
            name: "NetIO",
            dependencies: ["PushBuffers", "COpenSSL", "CShims"],
            swiftSettings: lowLevel
        ),
        .target(
            name: "LoadEngine",
            dependencies: [
                "PushModel", "PushBuffers", "PushPayload", "PushCrypto", "FlatJSON", "HTTP2",
                "NetIO", "HDRHistogram",
            ],
            swiftSettings: lowLevel
        ),
        .target(
            name: "MockAPNs",
            dependencies: [
                "PushModel", "PushBuffers", "PushCrypto", "PushPayload", "CJSON", "HTTP2", "NetIO",
            ],
            swiftSettings: lowLevel
        ),
        .target(
            name: "Metrics",
            dependencies: ["NetIO", "PushBuffers"],
            swiftSettings: lowLevel
        ),
        .target(name: "Results", dependencies: ["HDRHistogram"], swiftSettings: strict),
        .target(
            name: "Report",
            dependencies: ["Results", "Regression", "HDRHistogram"],
            resources: [.embedInCode("Resources")],
            swiftSettings: strict
        ),
        .target(
            name: "Regression",
            dependencies: ["Results", "PushModel"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "pushbench",
            dependencies: [
                "LoadEngine", "MockAPNs", "Results", "Regression", "Report", "Metrics", "PushModel",
                "PushInstalls", "PushPayload", "PushCrypto", "NetIO", "HTTP2", "HDRHistogram",
                "CShims",
            ],
            swiftSettings: strict
        ),

        .executableTarget(
            name: "MicroBenchmarks",
            dependencies: [
                "PushModel", "PushPayload", "PushCrypto", "HTTP2", "HDRHistogram", "CAllocCounter",
            ],
            path: "Benchmarks/MicroBenchmarks",
            swiftSettings: lowLevel
        ),

        .executableTarget(
            name: "WireBenchmarks",
            dependencies: ["HTTP2"],
            path: "Benchmarks/WireBenchmarks",
            swiftSettings: lowLevel
        ),

        .target(
            name: "CSealLoop",
            dependencies: ["COpenSSL"],
            path: "Benchmarks/CSealLoop",
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("crypto")]
        ),
        .executableTarget(
            name: "SealBenchmarks",
            dependencies: ["PushModel", "PushCrypto", "PushPayload", "CSealLoop"],
            path: "Benchmarks/SealBenchmarks",
            swiftSettings: lowLevel
        ),

        // Tests mirror the targets. CAllocCounter counts malloc calls in the test process;
        // TestSupport has what tests of several targets share.
        .target(name: "CAllocCounter", path: "Tests/CAllocCounter", cSettings: cSettings),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "PushModelTests", dependencies: ["PushModel"], swiftSettings: lowLevel),
        .testTarget(
            name: "PushBuffersTests",
            dependencies: ["PushBuffers", "PushModel", "CAllocCounter"],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "HDRHistogramTests",
            dependencies: ["HDRHistogram", "CAllocCounter"],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "PushCryptoTests",
            dependencies: [
                "PushCrypto", "PushModel", "COpenSSL", "CShims", "CAllocCounter", "TestSupport",
            ],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "PushInstallsTests",
            dependencies: ["PushInstalls", "PushModel", "CAllocCounter", "TestSupport"],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "PushPayloadTests",
            dependencies: [
                "PushPayload", "PushModel", "PushBuffers", "PushCrypto", "COpenSSL", "CJSON",
                "CAllocCounter",
            ],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "HTTP2Tests",
            dependencies: ["HTTP2", "PushModel", "PushBuffers", "CNghttp2", "CAllocCounter"],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "NetIOTests",
            dependencies: ["NetIO", "PushBuffers", "PushModel", "COpenSSL", "CAllocCounter"],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "MockAPNsTests",
            dependencies: [
                "MockAPNs", "HTTP2", "NetIO", "PushModel", "PushBuffers", "PushCrypto",
                "PushPayload", "CNghttp2", "CAllocCounter",
            ],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "ResultsTests",
            dependencies: ["Results", "HDRHistogram"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MetricsTests",
            dependencies: ["Metrics", "NetIO"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ReportTests",
            dependencies: ["Report", "Results", "Regression", "HDRHistogram"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoadEngineTests",
            dependencies: [
                "LoadEngine", "MockAPNs", "PushInstalls", "PushModel", "PushPayload", "PushCrypto",
                "NetIO", "HTTP2", "HDRHistogram", "CAllocCounter",
            ],
            swiftSettings: lowLevel
        ),
        .testTarget(
            name: "RegressionTests",
            dependencies: ["Regression", "Results", "HDRHistogram", "PushModel"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["pushbench", "NetIO"],
            swiftSettings: strict
        ),
    ],
    cxxLanguageStandard: .cxx17
)
