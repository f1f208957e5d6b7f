public import WhereaboutsVocabulary

/// The random name of one grant.
public typealias GrantID = Identifier128<Grant>
