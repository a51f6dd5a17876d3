/// Writes a JSON text (RFC 8259) in the order it is told; for statistics and error bodies.
struct JSONText {
    private(set) var text = ""
    private var needsComma = false

    /// Writes an object whose members `fill` writes.
    mutating func object(_ fill: (inout JSONText) -> Void) {
        text += "{"
        needsComma = false
        fill(&self)
        text += "}"
        needsComma = true
    }

    /// Writes a member whose value is an object.
    mutating func field(_ name: String, object fill: (inout JSONText) -> Void) {
        key(name)
        object(fill)
    }

    /// Writes a member whose value is an array of objects, one an element.
    mutating func field<Element>(
        _ name: String,
        _ elements: [Element],
        _ fill: (Element, inout JSONText) -> Void
    ) {
        key(name)
        text += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            object { fill(element, &$0) }
        }
        text += "]"
        needsComma = true
    }

    /// Writes a member whose value is an array of strings.
    mutating func field(_ name: String, _ elements: [String]) {
        key(name)
        text += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            quote(element)
        }
        text += "]"
    }

    /// Writes a member whose value is a number.
    mutating func field(_ name: String, _ value: some BinaryInteger) {
        key(name)
        text += String(value)
    }

    /// Writes a member whose value is a string.
    mutating func field(_ name: String, _ value: String) {
        key(name)
        quote(value)
    }

    private mutating func key(_ name: String) {
        if needsComma { text += "," }
        needsComma = true
        quote(name)
        text += ":"
    }

    private mutating func quote(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
