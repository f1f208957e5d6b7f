#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A step of a durable write that the system refused.
package struct DurableFileError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Step: String, Sendable, Hashable, CaseIterable {
        /// Making the draft.
        case create
        /// Writing its bytes.
        case write
        /// Renaming or linking the draft to the file's name.
        case replace
        /// Opening the directory.
        case open
        /// Reading its bytes.
        case read
        /// Syncing a file or its directory to the disk.
        case synchronize
    }

    package let step: Step
    /// The file, draft or directory at which the step failed.
    package let path: String
    /// The system's error number.
    package let errno: Int32

    init(_ step: Step, _ path: String, errno: Int32) {
        self.step = step
        self.path = path
        self.errno = errno
    }

    /// The step, the path and the system's message, for people.
    package var description: String {
        "cannot \(self.step.rawValue) \(self.path): \(unsafe String(cString: strerror(self.errno)))"
    }
}
