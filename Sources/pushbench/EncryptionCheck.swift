import PushModel
import PushPayload
import Results

/// Whether an audience can get a message as its dialect wants it: user ids, and keys to encrypt for.
enum EncryptionCheck {
    /// Refuses installs without what the message needs; says loudly which go out in the clear.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3, one JSON line a fault.
    static func check(
        _ payload: CompiledPayload,
        _ table: InstallTable,
        isRequired: Bool
    ) throws(CommandFault) {
        if payload.dialect.needsInstallUID, table.installsWithoutUID > 0 {
            throw CommandFault(
                .invalidInput,
                lines: [
                    PayloadFault(
                        code: .missingField,
                        path: "install.uid",
                        message: "\(table.installsWithoutUID) of \(table.count) installs have no "
                            + "uid, which a \(payload.dialect.rawValue) body needs; add the column"
                    ).jsonLine
                ]
            )
        }
        guard payload.isSealed else {
            if isRequired {
                throw CommandFault(
                    .invalidInput,
                    "--require-encryption: the dialect \(payload.dialect.rawValue) encrypts nothing."
                )
            }
            return
        }
        let plain = table.count - table.installsWithKey
        guard plain > 0 else { return }
        if isRequired {
            throw CommandFault(
                .invalidInput,
                "--require-encryption: \(plain) of \(table.count) installs have no public key."
            )
        }
        Terminal.complain(
            "pushbench: WARNING: \(plain) of \(table.count) installs have no public key and get "
                + "their content IN THE CLEAR; --require-encryption refuses that."
        )
    }
}
