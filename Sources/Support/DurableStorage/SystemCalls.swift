#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The system calls whose failure a test cannot cause on a real disk.
struct SystemCalls: Sendable {
    /// Writes as many bytes as the system accepts, as `write(2)`; -1 and `errno` on a failure.
    var writeSome: @Sendable (Int32, ArraySlice<UInt8>) -> Int = { file, bytes in
        unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    }
    /// Brings a file to the disk, as `fsync(2)`; -1 and `errno`, if it fails.
    var synchronize: @Sendable (Int32) -> Int32 = { fsync($0) }
}
