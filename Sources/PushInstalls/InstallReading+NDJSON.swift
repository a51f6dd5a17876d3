extension InstallReading {
    mutating func runNDJSON() throws(InstallFileError) {
        let object = JSONInstall()
        var isEmpty = true
        while true {
            switch try lines.advance() {
            case .end:
                if isEmpty { throw .empty(name: lines.name) }
                return
            case .overlong:
                isEmpty = false
                try refuse(.lineTooLong)
                continue
            case .line:
                if Self.isBlank(lines.line) { continue }
                isEmpty = false
            }
            let install: ParsedInstall
            do {
                try object.read(UnsafeRawBufferPointer(lines.line))
                install = try object.install()
            } catch {
                try refuse(error)
                continue
            }
            try take(install)
        }
    }

    private static func isBlank(_ line: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
