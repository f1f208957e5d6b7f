internal import Foundation
internal import Synchronization
internal import WhereaboutsSharing

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The HTTP exchanges in progress in one session, and the session's delegate.
final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    /// The head of a reply.
    struct Head: Sendable {
        let status: Int
        /// The value of the field `date`, if there is one.
        let date: String?
        /// The value of the field that names the server's database, if there is one.
        let database: String?
    }

    /// A part of a reply.
    enum Part: Sendable {
        case head(Head)
        case bytes([UInt8])
    }

    /// The maximum number of parts that wait for a slow reader; beyond this, the exchange fails.
    ///
    /// Source: our choice; libcurl's buffer has 16 KiB, so that the parts need at most 4 MiB. A reader of events is never so slow.
    private static let waitingMax = 256

    private struct Exchange {
        let parts: AsyncThrowingStream<Part, any Error>.Continuation
        /// Ends the exchange when its time is over.
        let timer: Task<Void, Never>
    }

    // The key is the task's identifier in the session. The number is limited because each caller waits for its own exchange.
    private let underWay = Mutex<[Int: Exchange]>([:])

    func begin(
        _ task: URLSessionDataTask,
        within timeout: Duration
    ) -> AsyncThrowingStream<Part, any Error> {
        let (parts, continuation) = AsyncThrowingStream<Part, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMax)
        )
        let id = task.taskIdentifier
        let timer = Task {
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            self.end(id, TransportFailure.timedOut)
        }
        self.underWay.withLock { $0[id] = Exchange(parts: continuation, timer: timer) }
        // If the reader stops, for any reason, cancel the transfer.
        continuation.onTermination = { _ in
            timer.cancel()
            self.forget(id)
            task.cancel()
        }
        task.resume()
        return parts
    }

    private func forget(_ id: Int) { self.underWay.withLock { _ = $0.removeValue(forKey: id) } }

    private func end(_ id: Int, _ failure: (any Error)?) {
        self.underWay.withLock { $0[id] }?.parts.finish(throwing: failure)
    }

    private func came(_ part: Part, _ id: Int) {
        // After an exchange has ended, `FoundationNetworking` still reports data that it had read before.
        guard let exchange = self.underWay.withLock({ $0[id] }) else { return }
        if case .dropped = exchange.parts.yield(part) { self.end(id, TransportFailure.broken) }
    }

    // MARK: URLSessionDataDelegate

    // Do not follow redirections: a signed message is only for the chosen server. The redirection itself is the reply.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
        let head = Head(
            status: response.statusCode,
            date: response.value(forHTTPHeaderField: "date"),
            database: response.value(forHTTPHeaderField: ServerReply.databaseField)
        )
        self.came(.head(head), dataTask.taskIdentifier)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.came(.bytes(Array(data)), dataTask.taskIdentifier)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.end(task.taskIdentifier, error.map(TransportFailure.init(session:)))
    }
}

extension TransportFailure {
    /// Finds the reason in an error of a session.
    fileprivate init(session error: any Error) {
        let untrusted: [URLError.Code] = [
            .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid,
        ]
        self =
            switch (error as? URLError)?.code {
            case .timedOut?: .timedOut
            case .cannotFindHost?, .dnsLookupFailed?: .nameUnknown
            case .cannotConnectToHost?: .refused
            case let code? where untrusted.contains(code): .untrusted
            // `FoundationNetworking` has no error code for certificates; only libcurl's message names the cause.
            case _ where "\(error)".lowercased().contains("certificate"): .untrusted
            default: .broken
            }
    }
}
