internal import Testing

/// Pages in real browsers, one after the other: two browsers at once take longer to start than their drivers wait.
@Suite(.serialized) enum BrowserTests {}
