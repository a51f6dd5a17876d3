public import FoundationEssentials

extension ResultFile {
    /// The result as JSON, with a newline at the end.
    ///
    /// - Returns: The bytes that ``write(to:)`` writes.
    /// - Throws: ``ResultError/notEncodable(field:)`` where a number is infinite or not a number.
    public func encoded() throws(ResultError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(timestampStyle))
        }
        do {
            return try encoder.encode(self) + Data("\n".utf8)
        } catch let EncodingError.invalidValue(_, context) {
            throw .notEncodable(field: fieldName(context.codingPath))
        } catch {
            throw .notEncodable(field: "")
        }
    }

    /// Reads a result from JSON.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - name: How errors name it, its path as a rule.
    ///   - parts: How much of it is wanted.
    /// - Throws: ``ResultError`` that names the file and what is wrong in it.
    public init(
        decoding data: Data,
        name: String,
        parts: ResultParts = .all
    ) throws(ResultError) {
        let decoder = JSONDecoder()
        if let key = ResultParts.userInfoKey { decoder.userInfo[key] = parts }
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date(text, strategy: timestampStyle)
        }
        do {
            self = try decoder.decode(ResultFile.self, from: data)
        } catch let unknown as UnknownSchema {
            throw unknown.name.hasPrefix("pushbench.result/")
                ? .otherSchema(path: name, schema: unknown.name) : .notAResult(path: name)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw .notJSON(path: name)
        } catch DecodingError.keyNotFound(let key, let context) {
            throw key.stringValue == "schema"
                ? .notAResult(path: name)
                : .damaged(path: name, field: fieldName(context.codingPath + [key]))
        } catch DecodingError.typeMismatch(_, let context) {
            throw context.codingPath.isEmpty
                ? .notAResult(path: name)
                : .damaged(path: name, field: fieldName(context.codingPath))
        } catch DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context)
        {
            throw .damaged(path: name, field: fieldName(context.codingPath))
        } catch {
            // Only a date that does not parse ends here.
            throw .damaged(path: name, field: "startedAt or finishedAt")
        }
    }

    /// Writes the result so that the path holds all of it or what was there before.
    ///
    /// The bytes go to a temporary name in the same folder, to the disk, and only then to the
    /// final name; on failure nothing is left. A device or pipe is written in place.
    ///
    /// - Parameter path: The file; its folder has to exist.
    /// - Throws: ``ResultError`` that names the path, the reason and the mend.
    public func write(to path: String) throws(ResultError) {
        let bytes = Array(try encoded())
        do {
            try AtomicFile.write(bytes, to: path)
        } catch {
            throw .unwritable(path: path, fault: error)
        }
    }

    /// Reads the result that is stored at `path`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - parts: How much of it is wanted.
    /// - Returns: The result.
    /// - Throws: ``ResultError`` that names the path and what is wrong.
    public static func load(
        _ path: String,
        parts: ResultParts = .all
    ) throws(ResultError) -> ResultFile {
        let bytes: [UInt8]
        do {
            bytes = try AtomicFile.read(path)
        } catch {
            throw .unreadable(path: path, fault: error)
        }
        return try ResultFile(decoding: Data(bytes), name: path, parts: parts)
    }
}

/// ISO 8601 in UTC with milliseconds.
private let timestampStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

/// A coding path as people write it: `runs[0].latency.response.p99`.
private func fieldName(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { name, key in
        if let index = key.intValue {
            name += "[\(index)]"
        } else {
            name += (name.isEmpty ? "" : ".") + key.stringValue
        }
    }
}
