/// Every benchmark; the argument picks those whose name starts with it.
let benchmarks: [MicroBenchmark] = RenderBenchmark.all
let prefix = CommandLine.arguments.dropFirst().first ?? ""
let chosen = benchmarks.filter { $0.name.hasPrefix(prefix) }
if chosen.isEmpty {
    let names = benchmarks.map(\.name).joined(separator: ", ")
    print("no benchmark starts with \"\(prefix)\"; there are: \(names)")
}
for benchmark in chosen { try benchmark.run() }
