import PushModel
import Synchronization

/// The channels that apps have created for broadcasts, shared by all loops.
///
/// Behind one lock: broadcasts are few, and pushes to devices do not come here.
final class ChannelRegistry: Sendable {
    /// The most channels of an app in one environment (contract 1.1).
    static let capacity = 10_000
    /// The most channels of all apps together: a mock that lets everybody broadcast lets everybody
    /// invent apps.
    static let totalCapacity = 100_000

    /// What a channel does with a message for a device that is offline.
    enum StoragePolicy: UInt8, Sendable {
        case none = 0
        case mostRecent = 1
    }

    private struct Channel {
        var policy: StoragePolicy
        /// Channels are listed in the order in which they were created.
        var number: UInt64
    }

    private struct State {
        var apps: [String: [String: Channel]] = [:]
        var count = 0
        var numbers: SplitMix64
        var nextNumber: UInt64 = 0
    }

    private let state: Mutex<State>

    /// Makes an empty registry.
    init() {
        var system = SystemRandomNumberGenerator()
        state = Mutex(State(numbers: SplitMix64(seed: system.next())))
    }

    /// Creates a channel and gives its id; nil where the app, or all together, have as many as they may.
    func create(app: String, policy: StoragePolicy) -> String? {
        state.withLock { state in
            guard state.count < Self.totalCapacity,
                state.apps[app]?.count ?? 0 < Self.capacity
            else { return nil }
            let id = ChannelID.text(high: state.numbers.next(), low: state.numbers.next())
            state.apps[app, default: [:]][id] = Channel(policy: policy, number: state.nextNumber)
            state.nextNumber += 1
            state.count += 1
            return id
        }
    }

    /// What a channel stores; nil where the app has no such channel.
    func policy(of id: String, app: String) -> StoragePolicy? {
        state.withLock { $0.apps[app]?[id]?.policy }
    }

    /// Deletes a channel; false where the app has no such channel.
    func delete(_ id: String, app: String) -> Bool {
        state.withLock { state in
            guard state.apps[app]?.removeValue(forKey: id) != nil else { return false }
            state.count -= 1
            if state.apps[app]?.isEmpty == true { state.apps[app] = nil }
            return true
        }
    }

    /// The ids of an app's channels.
    func all(app: String) -> [String] {
        state.withLock { state in
            (state.apps[app] ?? [:]).sorted { $0.value.number < $1.value.number }.map(\.key)
        }
    }

    /// Forgets all channels.
    func removeAll() {
        state.withLock { state in
            state.apps = [:]
            state.count = 0
        }
    }
}

/// The ids of channels: base64 with padding (RFC 4648 section 4), of 16 bytes where the mock makes them.
enum ChannelID {
    /// Longer ids are refused; Apple tells no length.
    static let longest = 64
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// The id of 128 bits.
    static func text(high: UInt64, low: UInt64) -> String {
        var text: [UInt8] = []
        var rest = (high, low)
        // 21 digits of six bits, and one of the two that are left.
        for _ in 0..<22 {
            text.append(alphabet[Int(rest.0 >> 58)])
            rest = (rest.0 << 6 | rest.1 >> 58, rest.1 << 6)
        }
        return String(decoding: text, as: UTF8.self) + "=="
    }

    /// Whether `text` is base64 of a channel's length.
    static func isValid(_ text: RawSpan) -> Bool {
        guard (4...longest).contains(text.byteCount), text.byteCount % 4 == 0 else { return false }
        var digits = text
        for _ in 0..<2
        where digits.unsafeLoad(
            fromByteOffset: digits.byteCount - 1,
            as: UInt8.self
        ) == UInt8(ascii: "=") {
            digits = digits.extracting(droppingLast: 1)
        }
        return digits.byteOffsets.allSatisfy {
            alphabet.contains(digits.unsafeLoad(fromByteOffset: $0, as: UInt8.self))
        }
    }
}
