import NetIO
import Testing

@testable import LoadEngine

@Suite struct AddressBookTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private func address(_ last: Int) throws -> SocketAddress {
        try SocketAddress.resolve(host: "127.0.0.\(last)", port: 443)[0]
    }

    private func after(_ seconds: UInt64) -> MonotonicInstant {
        start.advanced(by: seconds * 1_000_000_000)
    }

    @Test func connectionsSpreadOverTheAddressesInTurn() throws {
        let all = try (1...3).map(address)
        var book = AddressBook(all, first: 1, resolvedAt: start)
        let taken = (0..<6).map { _ in book.take(at: start) }
        #expect(taken == [all[1], all[2], all[0], all[1], all[2], all[0]])
    }

    @Test func deadAddressIsPassedOverForAWhileAndLongerEachTime() throws {
        let all = try (1...2).map(address)
        var book = AddressBook(all, first: 0, resolvedAt: start)
        book.noteFailure(of: all[0], at: start)
        #expect((0..<4).allSatisfy { _ in book.take(at: after(1)) == all[1] })
        #expect(Set((0..<2).map { _ in book.take(at: after(2)) }) == Set(all))
        book.noteFailure(of: all[0], at: after(2))
        #expect((0..<4).allSatisfy { _ in book.take(at: after(5)) == all[1] })
        #expect(Set((0..<2).map { _ in book.take(at: after(6)) }) == Set(all))
    }

    @Test func addressThatAnswersIsForgiven() throws {
        let all = try (1...2).map(address)
        var book = AddressBook(all, first: 0, resolvedAt: start)
        book.noteFailure(of: all[0], at: start)
        book.noteAnswer(from: all[0])
        #expect(Set((0..<2).map { _ in book.take(at: after(1)) }) == Set(all))
    }

    @Test func ofDeadAddressesAloneTheOneThatMayBeBackFirstIsTaken() throws {
        let all = try (1...3).map(address)
        var book = AddressBook(all, first: 0, resolvedAt: start)
        book.noteFailure(of: all[0], at: after(3))
        book.noteFailure(of: all[1], at: after(2))
        book.noteFailure(of: all[2], at: after(3))
        #expect(book.take(at: after(3)) == all[1])
    }

    @Test func newAddressesTakeTheOldOnesPlace() throws {
        let old = try address(1)
        let new = try address(2)
        var book = AddressBook([old], first: 5, resolvedAt: start)
        #expect(book.isFresh(at: after(1), age: 2_000_000_000))
        #expect(!book.isFresh(at: after(2), age: 2_000_000_000))
        book.update([new], at: after(2))
        #expect(book.isFresh(at: after(3), age: 2_000_000_000))
        #expect(book.take(at: after(3)) == new)
        book.update([], at: after(9))
        #expect(book.take(at: after(9)) == new, "an empty answer tells nothing")
    }
}
