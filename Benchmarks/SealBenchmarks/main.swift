// Rendering and encrypting on two Dispatch queues, against a bare C loop over OpenSSL's EVP
// functions on two threads, in turns.
//
//     swift run -c release SealBenchmarks [INSTALLS [ROUNDS [PUSHES]]]
//
// Each install has a key of its own: random odd moduli, since nothing is decrypted here. One in ten
// is wrapped with PKCS#1 v1.5. The C loop holds every key parsed, with a context that is kept: more
// memory than pushbench may take, in exchange for the best speed that EVP has.
import Glibc

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let installs = numbers.first ?? 50_000
let rounds = numbers.dropFirst().first ?? 7
let pushes = numbers.dropFirst(2).first ?? min(installs, 100_000)

do {
    let benchmark = try SealBenchmark(installs: installs)
    print(benchmark.description)
    let yardstick = try Yardstick(benchmark)
    var ours: [Round] = []
    var bare: [Round] = []
    for _ in 0..<max(1, rounds) {
        bare.append(Round.measure(pushes) { yardstick.run($0) })
        ours.append(Round.measure(pushes) { benchmark.run($0) })
    }
    let left = Round.median(ours)
    let right = Round.median(bare)
    print("pushbench  \(left)")
    print("C loop     \(right)")
    print(
        "ratio      \(Round.text(left.rate / right.rate, 3)) by rate, "
            + "\(Round.text(right.cpu / left.cpu, 3)) by CPU time (1 is as fast as the C loop)"
    )
    print("peak memory before the C loop's keys: \(benchmark.peakMegabytes) MB")
} catch {
    print("SealBenchmarks: \(error)")
    exit(1)
}
