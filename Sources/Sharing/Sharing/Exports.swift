// The pure values of a request (Grant, RequestState, …) and their dates are part of this module's own vocabulary.
@_exported public import WhereaboutsSharingEngine

@_exported public import struct WhereaboutsVocabulary.WallTime
