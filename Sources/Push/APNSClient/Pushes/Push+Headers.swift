internal import NIOHPACK

extension Push {
    /// The headers of the request without the provider token, with a newly drawn ID if there is none.
    package func headers(host: String) -> [(name: String, value: String)] {
        PreparedRequest(self, host: host).headers.map { ($0.name, $0.value) }
    }
}
