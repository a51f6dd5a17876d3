import Glibc

// Small pieces of the hot path, each for itself.
//
//     swift run -c release MicroBenchmarks [NAME]         CPU time of those whose name starts so
//     swift run -c release MicroBenchmarks --list         the names
//     swift run -c release MicroBenchmarks --count N NAME does one N times, for tools that count
//
// `scripts/check-thresholds` counts instructions and allocations by the last.

let benchmarks: [MicroBenchmark] =
    RenderBenchmark.all + [RecordBenchmark.record, ExchangeBenchmark.exchange] + SealBenchmark.all

/// Says what is wrong and ends the program.
func fail(_ sentence: String) -> Never {
    print("MicroBenchmarks: \(sentence)")
    exit(2)
}

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "--list":
    for benchmark in benchmarks { print(benchmark.name) }
case "--count":
    guard words.count == 3, let operations = Int(words[1]), operations > 0,
        let benchmark = benchmarks.first(where: { $0.name == words[2] })
    else { fail("--count takes a number above 0 and a name that --list prints.") }
    try benchmark.count(operations)
default:
    let chosen = benchmarks.filter { $0.name.hasPrefix(words.first ?? "") }
    guard !chosen.isEmpty else {
        fail(
            "there is none of this name; there are: \(benchmarks.map(\.name).joined(separator: ", "))."
        )
    }
    for benchmark in chosen { try benchmark.run() }
}
