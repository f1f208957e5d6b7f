#pragma once
// PostgreSQL's client library, opened when the first database is: linked, it would cost each command its start (ADR 0127).

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>

#define CLIBPQ_FUNCTIONS(F)                                                                                             \
    F(PQconnectdbParams)                                                                                               \
    F(PQfinish)                                                                                                        \
    F(PQstatus)                                                                                                        \
    F(PQerrorMessage)                                                                                                  \
    F(PQserverVersion)                                                                                                 \
    F(PQbackendPID)                                                                                                    \
    F(PQconninfoParse)                                                                                                 \
    F(PQconninfoFree)                                                                                                  \
    F(PQfreemem)                                                                                                       \
    F(PQsetNoticeReceiver)                                                                                             \
    F(PQsocket)                                                                                                        \
    F(PQconsumeInput)                                                                                                  \
    F(PQnotifies)                                                                                                      \
    F(PQenterPipelineMode)                                                                                             \
    F(PQpipelineSync)                                                                                                  \
    F(PQsendPrepare)                                                                                                   \
    F(PQsendQueryPrepared)                                                                                             \
    F(PQgetResult)                                                                                                     \
    F(PQclear)                                                                                                         \
    F(PQresultStatus)                                                                                                  \
    F(PQresultErrorField)                                                                                              \
    F(PQcmdStatus)                                                                                                     \
    F(PQntuples)                                                                                                       \
    F(PQnfields)                                                                                                       \
    F(PQftype)                                                                                                         \
    F(PQgetisnull)                                                                                                     \
    F(PQgetlength)                                                                                                     \
    F(PQgetvalue)

/// The functions of libpq, with the types that libpq-fe.h declares.
struct clibpq {
#define CLIBPQ_MEMBER(name) __typeof__(name) *_Nonnull name;
    CLIBPQ_FUNCTIONS(CLIBPQ_MEMBER)
#undef CLIBPQ_MEMBER
};

/// The parts of an error. Swift cannot read libpq's macros for them, which are characters.
enum {
    clibpq_severity = PG_DIAG_SEVERITY_NONLOCALIZED,
    clibpq_state = PG_DIAG_SQLSTATE,
    clibpq_message = PG_DIAG_MESSAGE_PRIMARY,
};

/// Opens libpq.so.5 for the rest of the process. Returns its functions, or NULL with the loader's error. Call it once.
const struct clibpq *_Nullable clibpq_open(const char *_Nullable *_Nonnull error);
#endif
