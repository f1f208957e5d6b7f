public import WhereaboutsVocabulary

/// The random name of one request.
public typealias RequestID = Identifier128<Request>
