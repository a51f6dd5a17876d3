import CJSON
import PushCrypto
import PushModel

/// Why a line was refused, small enough to be passed about without allocating.
///
/// Its words are made only for the first faults of a file, which are kept in detail.
enum LineProblem: Error, Equatable {
    case missing(InstallColumn)
    case wrongType(InstallColumn)
    case repeatedKey(InstallColumn)
    case tokenLength(Int)
    case tokenCharacter(offset: Int, first: UInt8)
    case environment
    case badgeText
    case badgeNegative
    case badgeRange
    case publicKey(PublicKeyFault)
    case cipherName
    case tooLong(InstallColumn, limit: Int)
    case tooManyLanguages
    case lineTooLong
    case notUnicode
    case fieldCount(found: Int, wanted: Int)
    case openQuote
    case textAfterQuote(field: Int)
    case notAnObject
    case syntax(offset: Int, cps_json_expectation)
    case loneSurrogate
    case tooDeep

    static func == (left: LineProblem, right: LineProblem) -> Bool {
        left.code == right.code && left.column == right.column && left.message == right.message
    }

    var code: InstallFaultCode {
        switch self {
        case .missing: .missingField
        case .wrongType, .badgeText: .wrongType
        case .tokenLength, .tokenCharacter: .invalidToken
        case .environment: .invalidEnum
        case .publicKey: .invalidPublicKey
        case .cipherName: .unsupportedCipher
        case .badgeNegative, .badgeRange, .tooLong, .tooManyLanguages, .lineTooLong: .outOfRange
        case .notUnicode, .loneSurrogate: .invalidUnicode
        case .repeatedKey: .duplicateKey
        case .fieldCount, .openQuote, .textAfterQuote: .invalidCSV
        case .notAnObject, .syntax, .tooDeep: .invalidJSON
        }
    }

    var column: InstallColumn? {
        switch self {
        case .missing(let column), .wrongType(let column), .repeatedKey(let column),
            .tooLong(let column, _):
            column
        case .tokenLength, .tokenCharacter: .token
        case .environment: .environment
        case .badgeText, .badgeNegative, .badgeRange: .badge
        case .publicKey: .publicKey
        case .cipherName: .cipherName
        case .tooManyLanguages: .language
        case .lineTooLong, .notUnicode, .fieldCount, .openQuote, .textAfterQuote, .notAnObject,
            .syntax, .loneSurrogate, .tooDeep:
            nil
        }
    }

    var message: String {
        switch self {
        case .missing(let column):
            "the install has no \(column.name); every install needs one"
        case .wrongType(let column):
            "\(column.name) has to be a string"
        case .repeatedKey(let column):
            "the object has the key \(column.name) twice; keep one of them"
        case .tokenLength(0):
            "the token is empty; give the device token's hex digits"
        case .tokenLength(let count):
            "the token has \(count) characters; an even number from 2 to 400 hex digits is needed"
        case .tokenCharacter(_, let first)
        where first == UInt8(ascii: "<") || first == UInt8(ascii: "{"):
            "the token is the printed form of a Data value; write its bytes as hex digits instead"
        case .tokenCharacter(let offset, _):
            "character \(offset + 1) of the token is not a hex digit (0-9, a-f, A-F)"
        case .environment:
            "environment has to be production or sandbox; leave it empty for production"
        case .badgeText:
            "badge has to be a whole number without point or exponent; leave it empty for none"
        case .badgeNegative:
            "badge has to be 0 or more; 0 clears the badge"
        case .badgeRange:
            "badge does not fit 64 bits"
        case .publicKey(let fault):
            fault.description
        case .cipherName:
            "cipherName has to be \(WrapPadding.oaepName); leave it empty for PKCS#1 v1.5"
        case .tooLong(let column, let limit):
            "\(column.name) is longer than \(limit) bytes"
        case .tooManyLanguages:
            "the file has more than \(Int(UInt16.max)) different languages; "
                + "check that the language column holds tags such as en or de-DE"
        case .lineTooLong:
            "the line is longer than 1 MiB; give each install a line of its own"
        case .notUnicode:
            "the line is not UTF-8; save the file as UTF-8"
        case .fieldCount(let found, let wanted):
            "the line has \(found) \(found == 1 ? "field" : "fields") where the header has "
                + "\(wanted); quote a field that contains a comma"
        case .openQuote:
            "a quoted field does not end; close it with a quote and double each quote inside"
        case .textAfterQuote(let field):
            "field \(field) goes on after its closing quote; double each quote inside a field"
        case .notAnObject:
            "the line is JSON but no object; write one install as {\"token\":\"...\"} on each line"
        case .syntax(let offset, let expected):
            "the line is not JSON: at column \(offset + 1) \(Self.words(expected)) is expected"
        case .loneSurrogate:
            "a \\u escape is half of a surrogate pair; write both halves or the character itself"
        case .tooDeep:
            "the line nests deeper than \(CPS_JSON_MAX_DEPTH) levels; an install is a flat object"
        }
    }

    private static func words(_ expected: cps_json_expectation) -> String {
        switch expected {
        case CPS_JSON_EXPECTED_VALUE: "a value"
        case CPS_JSON_EXPECTED_VALUE_OR_ARRAY_END: "a value or ]"
        case CPS_JSON_EXPECTED_COMMA_OR_ARRAY_END: "a comma or ]"
        case CPS_JSON_EXPECTED_KEY: "a key in quotes"
        case CPS_JSON_EXPECTED_KEY_OR_OBJECT_END: "a key in quotes or }"
        case CPS_JSON_EXPECTED_COLON: "a colon"
        case CPS_JSON_EXPECTED_COMMA_OR_OBJECT_END: "a comma or }"
        default: "the end of the line"
        }
    }
}
