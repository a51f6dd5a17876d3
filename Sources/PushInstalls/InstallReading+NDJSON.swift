extension InstallReading {
    mutating func runNDJSON() throws(InstallFileError) {
        throw .unsupported(name: lines.name, form: "NDJSON", mend: "save it as CSV")
    }
}
