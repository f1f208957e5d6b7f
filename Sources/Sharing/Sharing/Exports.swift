// Exported again, because this module's interface uses these types: Grant, RequestState, WallTime and others.
@_exported public import WhereaboutsSharingEngine

@_exported public import struct WhereaboutsVocabulary.WallTime
