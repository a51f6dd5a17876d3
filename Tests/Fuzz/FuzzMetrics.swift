// The head of an HTTP/1 request, in pieces: what a piece decides stays decided.

@testable import Metrics

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMetrics(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let first = Int(input.byte())
    let bytes = input.all()
    let whole = MetricsRequest(bytes)
    var end = first
    while end < bytes.count {
        let part = MetricsRequest(Array(bytes.prefix(end)))
        precondition(part == .incomplete || part == whole, "a piece decides otherwise")
        end += first + 1
    }
    return 0
}
