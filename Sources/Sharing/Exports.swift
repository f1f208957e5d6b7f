// The pure values of a request (Grant, RequestState, …) are part of this module's own vocabulary.
@_exported public import SharingEngine
