import CShims

/// Takes the calling thread's whole OpenSSL error stack.
///
/// Every caller clears the stack before the call whose errors it wants to see.
@inline(never)
func takeOpenSSLErrors() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { text in
        guard let start = text.baseAddress else { return "no memory" }
        let first = cps_take_openssl_errors(start, text.count)
        return first == 0 ? "OpenSSL gives no reason" : String(cString: start)
    }
}
