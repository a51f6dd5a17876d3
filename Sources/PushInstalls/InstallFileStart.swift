/// What the first bytes of an install file tell.
struct InstallFileStart {
    let format: InstallFileFormat
    /// The bytes of a byte order mark, to be stepped over.
    let markBytes: Int

    private static let foreign: [(magic: [UInt8], form: String, mend: String)] = [
        ([0x1F, 0x8B], "packed with gzip", "unpack it first (gunzip -k FILE)"),
        ([0x28, 0xB5, 0x2F, 0xFD], "packed with zstd", "unpack it first (unzstd FILE)"),
        ([0xFD, 0x37, 0x7A, 0x58], "packed with xz", "unpack it first (unxz -k FILE)"),
        ([0x42, 0x5A, 0x68], "packed with bzip2", "unpack it first (bunzip2 -k FILE)"),
        (
            [0x50, 0x4B, 0x03, 0x04], "a ZIP archive or a workbook",
            "unpack it, or save the sheet as CSV in UTF-8"
        ),
        ([0xFF, 0xFE], "in UTF-16", "save it as UTF-8"),
        ([0xFE, 0xFF], "in UTF-16", "save it as UTF-8"),
    ]

    /// Settles the format, by `format` where it is given, else by the first byte.
    init(
        _ prefix: UnsafeRawBufferPointer,
        name: String,
        format: InstallFileFormat?
    ) throws(InstallFileError) {
        for (magic, form, mend) in Self.foreign where prefix.starts(with: magic) {
            throw .unsupported(name: name, form: form, mend: mend)
        }
        markBytes = prefix.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let blank: [UInt8] = [0x20, 0x09, 0x0D, 0x0A]
        let first = prefix.dropFirst(markBytes).first { !blank.contains($0) }
        let resolved = format ?? (first == UInt8(ascii: "{") ? .ndjson : .csv)
        if first == UInt8(ascii: "["), format != .csv {
            throw .unsupported(
                name: name,
                form: "a JSON array",
                mend: "write one object a line instead (jq -c '.[]' FILE)"
            )
        }
        self.format = resolved
    }
}
