internal import Testing

/// Tests of pages in real browsers.
///
/// They run serially, because two browsers at once start too slowly for their drivers.
@Suite(.serialized) enum BrowserTests {}
