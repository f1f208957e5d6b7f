internal import Foundation
internal import Glibc
internal import Testing

@testable internal import WhereaboutsDurableStorage

/// Tests for replacing files on a full disk.
///
/// The disk is a small file system in memory.
@Suite(.enabled(if: geteuid() == 0, "skipped: only root mounts"))
struct ReservedFileTests {
    private static let size = 32 << 10

    /// Runs in a file system of 64 pages.
    private func withSmallDisk(_ body: (String) throws -> Void) throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "reserved-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { unsafe rmdir(place) }
        guard unsafe mount("none", place, "tmpfs", 0, "size=256k") == 0 else {
            return print("skipped: mount(2) is refused")
        }
        defer { unsafe umount(place) }
        try body(place)
    }

    /// Fills the rest of the disk.
    private func fillUp(_ place: String) {
        let file = unsafe open("\(place)/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let page = [UInt8](repeating: 1, count: 4096)
        while unsafe write(file, page, page.count) > 0 {}
        close(file)
    }

    private func content(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { ReservedFile.content(of: [UInt8]($0)) }
    }

    /// Goal: several decisions in a row are saved on a full disk, while an attacker takes each free page.
    @Test func aFullDiskStillKeepsDecisions() throws {
        try self.withSmallDisk { place in
            let path = place + "/file"
            let file = ReservedFile(path, reserving: Self.size)
            func decision(_ number: Int) -> [UInt8] {
                [UInt8](repeating: UInt8(number), count: number * 1_200)
            }
            try file.replace(decision(0), .power)
            self.fillUp(place)
            #expect(throws: DurableFileError.self) {
                try DurableFile(path, writers: .one).replace(decision(99), .power)
            }
            for number in 1...20 {
                try file.replace(decision(number), number % 2 == 0 ? .power : .process)
                #expect(self.content(path) == decision(number), "\(number)")
                self.fillUp(place)
            }
            // When there is space again, the reserve grows to its full size.
            unsafe unlink("\(place)/filler")
            try file.replace(decision(21), .power)
            #expect(FileManager.default.contents(atPath: path) == Data(decision(21)))
            for reserve in [path + ".reserve1", path + ".reserve2"] {
                #expect(FileManager.default.contents(atPath: reserve)?.count == Self.size)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: place).sorted()
            #expect(names == ["file", "file.reserve1", "file.reserve2"])
        }
    }

    /// Goal: the reserve also stores the first content.
    ///
    /// Content larger than the reserve is refused without loss.
    @Test func theReserveHasABound() throws {
        try self.withSmallDisk { place in
            let path = place + "/file"
            let file = ReservedFile(path, reserving: Self.size)
            file.fill()
            self.fillUp(place)
            try file.replace([1], .power)
            #expect(self.content(path) == [1])
            self.fillUp(place)
            #expect(throws: DurableFileError.self) { try file.replace([UInt8](repeating: 2, count: 64 << 10), .power) }
            #expect(self.content(path) == [1])
        }
    }
}
