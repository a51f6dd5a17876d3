// An install file of any bytes, as CSV, as NDJSON or as it looks: each line is an install or a fault,
// and the check counts what the reading takes.

import Glibc
import PushCrypto
import PushInstalls
import PushModel

/// A file without a name, used again for each input.
private let file = tmpfile().map { fileno($0) } ?? -1

/// Texts that are right, to be changed.
private let texts = [
    """
    id,token,language,badge,uid,publicKey,cipherName,environment
    a,00ff,de-DE,7,"x ""y"", z",,,sandbox
    ,AbCd,,,"two
    lines",,,

    """,
    """
    {"id":"a","token":"00ff","language":"de-DE","badge":7,"uid":"x \\"y\\"","environment":"sandbox"}
    {"token":"AbCd","badge":null,"publicKey":"","cipherName":""}

    """,
].map { Array($0.utf8) }

private func rewind(_ bytes: [UInt8]) {
    ftruncate(file, 0)
    precondition(pwrite(file, bytes, bytes.count, 0) == bytes.count, "the file cannot be written")
    lseek(file, 0, SEEK_SET)
}

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInstalls(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.byte()
    let format: InstallFileFormat? = [nil, .csv, .ndjson, .csv][Int(choice & 3)]
    let bytes = choice & 4 == 4 ? input.changes(to: texts[Int(choice >> 4 & 1)]) : input.all()
    let table = InstallTable()
    var taken: InstallFileReport?
    var checked: InstallCheck?
    var words: [String] = []
    do throws(InstallFileError) {
        rewind(bytes)
        let reader = InstallFileReader(
            descriptor: file,
            name: "installs",
            format: format,
            isStrict: choice & 8 == 8
        )
        taken = try reader.read(into: table, keys: PublicKeyStore())
    } catch {
        words.append(error.description)
    }
    do throws(InstallFileError) {
        rewind(bytes)
        let reader = InstallFileReader(
            descriptor: file,
            name: "installs",
            format: format,
            isStrict: choice & 8 == 8
        )
        checked = try reader.check()
    } catch {
        words.append(error.description)
    }
    precondition(taken == checked?.report, "the check counts otherwise")
    precondition(words.count != 1 && words.first == words.last, "the check refuses otherwise")
    precondition(taken.map { $0.installs == table.count } ?? true, "an install is lost")
    for index in 0..<table.count { _ = table.record(at: index) }
    return 0
}
