// SPDX-License-Identifier: Apache-2.0

extension InterfaceDescription {
    private static let problem =
        ##"{"description": "A refusal", "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}"##
    private static let reportContent = #"""
        {"application/json": {"schema": {"anyOf": [{"$ref": "#/components/schemas/Report"},
           {"type": "array", "items": {"$ref": "#/components/schemas/Report"}}]}},
         "text/plain": {"schema": {"type": "string"}}, "text/html": {"schema": {"type": "string"}}}
        """#
    private static let waiting =
        ##"{"$ref": "#/components/parameters/Prefer"}, {"$ref": "#/components/parameters/Format"}"##

    /// The statuses of a report, and refusals.
    private static func reports(_ refusals: [Int]) -> String {
        let meanings = [
            (200, "Delivered to every service asked for"), (202, "Something is pending; Location names the report"),
            (207, "Delivered to some services"), (502, "Delivered to none; the body is the report"),
        ]
        let headers = #"""
            {"Location": {"schema": {"type": "string"}}, "Preference-Applied": {"schema": {"type": "string"}},
             "Idempotency-Replayed": {"schema": {"const": "true"}}, "Server-Timing": {"schema": {"type": "string"}}}
            """#
        let told = meanings.map {
            #""\#($0.0)": {"description": "\#($0.1)", "headers": \#(headers), "content": \#(reportContent)}"#
        }
        return "{" + (told + refused(refusals)).joined(separator: ",\n") + "}"
    }

    private static func refused(_ statuses: [Int]) -> [String] {
        statuses.map { #""\#($0)": \#(problem)"# } + [#""default": \#(problem)"#]
    }

    private static func json(_ schema: String, _ meaning: String, _ refusals: [Int], status: Int = 200) -> String {
        let answer = #"{"description": "\#(meaning)", "content": {"application/json": {"schema": \#(schema)}}}"#
        return "{" + ([#""\#(status)": \#(answer)"#] + refused(refusals)).joined(separator: ",\n") + "}"
    }

    private static func plain(_ meaning: String, _ type: String = "text/plain") -> String {
        #"{"200": {"description": "\#(meaning)", "content": {"\#(type)": {"schema": {"type": "string"}}}}, "default": \#(problem)}"#
    }

    /// Every operation as JSON text, by method and path.
    static let operations: [String: String] = [
        "GET /": #"{"operationId": "greet", "summary": "Says what this is", "responses": \#(plain("A sentence"))}"#,
        "POST /v1/uploads": #"""
        {"operationId": "upload", "summary": "Takes pictures, delivers them, answers with the report",
         "parameters": [{"$ref": "#/components/parameters/IdempotencyKey"}, \#(waiting),
               {"name": "fields", "in": "query", "style": "form", "explode": true,
                "description": "Any field of a form: caption, place, services, options; unknown ones reach templates as field.NAME",
                "schema": {"type": "object", "additionalProperties": true}}],
         "requestBody": {"required": true, "content": {
           "multipart/form-data": {"schema": {"$ref": "#/components/schemas/Form"}},
           "application/json": {"schema": {"$ref": "#/components/schemas/EncodedUpload"}},
           "application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/EncodedUpload"}},
           "image/*": {"schema": {"type": "string", "format": "binary", "description": "Caption and choices stand in the query"}},
           "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
         "responses": \#(reports([400, 401, 403, 409, 413, 415, 422, 429, 503]))}
        """#,
        "GET /v1/uploads": #"""
        {"operationId": "history", "summary": "The history, newest first; with ids these uploads in the form of the answer to a POST",
         "parameters": [
           {"name": "ids", "in": "query", "description": "1 to 100 ids, comma separated", "schema": {"type": "string", "minLength": 1}},
           {"name": "cursor", "in": "query", "description": "next of the page before", "schema": {"type": "string"}},
           {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50}},
           {"name": "status", "in": "query", "schema": {"enum": "@upload status"}},
           {"name": "service", "in": "query", "schema": {"type": "string"}},
           {"name": "since", "in": "query", "description": "A time as in reports, a date, or seconds since 1970", "schema": {"$ref": "#/components/schemas/Time"}},
           {"name": "until", "in": "query", "schema": {"$ref": "#/components/schemas/Time"}}],
         "responses": {"200": {"description": "A page; with ids the reports", "content": {
             "application/json": {"schema": {"anyOf": [{"$ref": "#/components/schemas/History"},
               {"$ref": "#/components/schemas/Report"}, {"type": "array", "items": {"$ref": "#/components/schemas/Report"}}]}}}},
           "202": {"description": "With ids: something is pending", "content": \#(reportContent)},
           "207": {"description": "With ids: delivered to some services", "content": \#(reportContent)},
           "502": {"description": "With ids: delivered to none", "content": \#(reportContent)},
           \#(refused([401, 404, 422, 503]).joined(separator: ","))}}
        """#,
        "GET /v1/uploads/{id}": #"""
        {"operationId": "report", "summary": "One report", "parameters": [\#(waiting)],
         "responses": \#(reports([401, 404, 422, 503]))}
        """#,
        "DELETE /v1/uploads/{id}": #"""
        {"operationId": "delete", "summary": "Deletes the picture at every service that can",
         "parameters": [{"$ref": "#/components/parameters/Prefer"}],
         "responses": {
           "200": {"description": "Nothing is left", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Deletion"}}}},
           "202": {"description": "Under way", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Deletion"}}}},
           "207": {"description": "Some is left", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Deletion"}}}},
           "502": {"description": "All is left", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Deletion"}}}},
           \#(refused([401, 404, 409, 429, 503]).joined(separator: ","))}}
        """#,
        "GET /v1/uploads/{id}/events": #"""
        {"operationId": "events", "summary": "Server-sent events: one delivery event an outcome, then end",
         "parameters": [{"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}},
           {"name": "last_event_id", "in": "query", "schema": {"type": "string"}}],
         "responses": {"200": {"description": "The events", "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/Event"}}}},
           "204": {"description": "There is nothing more to come"}, \#(refused([401, 404, 503]).joined(separator: ","))}}
        """#,
        "POST /v1/uploads/{id}/retry": #"""
        {"operationId": "retry", "summary": "Delivers again what failed or was skipped",
         "parameters": [\#(waiting),
           {"name": "services", "in": "query", "description": "Only these, comma separated", "schema": {"type": "string"}},
           {"name": "force", "in": "query", "description": "Also what may have arrived", "schema": {"const": "unknown"}}],
         "responses": \#(reports([401, 403, 404, 409, 422, 429, 503]))}
        """#,
        "GET /v1/services": #"""
        {"operationId": "services", "summary": "Services with their limits and their state now",
         "responses": \#(json(##"{"$ref": "#/components/schemas/Services"}"##, "All services in configured order", [401]))}
        """#,
        "GET /album/{name}": #"""
        {"operationId": "picture", "summary": "A picture of a local album",
         "responses": {"200": {"description": "The picture", "content": {"image/*": {"schema": {"type": "string", "format": "binary"}},
           "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}, \#(refused([404]).joined(separator: ","))}}
        """#,
        "GET /healthz":
            #"{"operationId": "health", "summary": "The process lives", "responses": \#(json(##"{"$ref": "#/components/schemas/Health"}"##, "It does", []))}"#,
        "GET /readyz":
            #"{"operationId": "ready", "summary": "It takes uploads", "responses": \#(json(##"{"$ref": "#/components/schemas/Health"}"##, "It does", [503]))}"#,
        "GET /metrics":
            #"{"operationId": "metrics", "summary": "Counters for Prometheus", "responses": \#(plain("Text format 0.0.4"))}"#,
        "GET /openapi.json":
            #"{"operationId": "description", "summary": "This document", "responses": \#(json(#"{"type": "object"}"#, "OpenAPI 3.1", []))}"#,
    ]
}
