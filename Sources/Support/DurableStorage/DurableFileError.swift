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
        /// Renaming the draft over the file.
        case replace
        /// Opening the directory.
        case open
        /// Reading its bytes.
        case read
        /// Bringing a file, or its directory, to the disk.
        case synchronize
    }

    package let step: Step
    /// The file, draft or directory it failed at.
    package let path: String
    /// The system's number of the reason.
    package let errno: Int32

    init(_ step: Step, _ path: String, errno: Int32) {
        self.step = step
        self.path = path
        self.errno = errno
    }

    /// The step, the path and the system's message, for a person.
    package var description: String {
        "cannot \(self.step.rawValue) \(self.path): \(unsafe String(cString: strerror(self.errno)))"
    }
}
