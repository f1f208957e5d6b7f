#if SANITIZE
internal import Glibc

/// Replaces `Synchronization.Mutex` under ThreadSanitizer, which knows `pthread_mutex_t`, but not the futex in `Mutex`,
/// and would report races.
@safe package final class Mutex<Value>: @unchecked Sendable {
    private let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    nonisolated(unsafe) private var value: Value

    package init(_ value: consuming sending Value) {
        unsafe self.value = value
        unsafe pthread_mutex_init(self.handle, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(self.handle)
        unsafe self.handle.deallocate()
    }

    /// Runs a closure with exclusive access to the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(self.handle)
        defer { unsafe pthread_mutex_unlock(self.handle) }
        return try unsafe body(&self.value)
    }
}
#endif
