#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// System calls that a test replaces, because it cannot make them fail on a real disk.
struct SystemCalls: Sendable {
    /// Writes as many bytes as the system accepts, like `write(2)`; -1 and `errno` on failure.
    var writeSome: @Sendable (Int32, ArraySlice<UInt8>) -> Int = { file, bytes in
        unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    }
    /// Syncs a file to the disk, like `fsync(2)`; -1 and `errno` on failure.
    var synchronize: @Sendable (Int32) -> Int32 = { fsync($0) }
}
