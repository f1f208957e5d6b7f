internal import NIOHPACK

extension Push {
    /// The headers of the request, but for the provider token; with an id that is drawn each time where it has none.
    package func headers(host: String) -> [(name: String, value: String)] {
        PreparedPush(self, host: host).headers.map { ($0.name, $0.value) }
    }
}
