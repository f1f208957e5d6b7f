import Foundation
import FoundationNetworking

/// An app that uses every API of `URLSession`, with several requests at a time.
@MainActor final class Downloads {
    private(set) var failures: [URLError.Code] = []
    private let session: URLSession

    nonisolated static let ways = 4

    init(_ session: URLSession, _ url: URL) {
        self.session = session
        Task { await self.fail { _ = try await session.data(from: url) } }
        var upload = URLRequest(url: url)
        upload.httpMethod = "POST"
        Task { [upload] in await self.fail { _ = try await session.upload(for: upload, from: Data([1])) } }
        session.dataTask(with: url) { _, _, error in
            Task { @MainActor in self.failed(error) }
        }
        .resume()
        DispatchQueue.global().async {
            session.downloadTask(with: url) { _, _, error in
                Task { @MainActor in self.failed(error) }
            }
            .resume()
        }
    }

    private func fail(_ body: @MainActor () async throws -> Void) async {
        do {
            try await body()
        } catch {
            self.failed(error)
        }
    }

    private func failed(_ error: (any Error)?) {
        if let error = error as? URLError { self.failures.append(error.code) }
    }
}
