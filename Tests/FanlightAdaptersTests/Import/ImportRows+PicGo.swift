// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ImportRow {
    /// Settings of PicGo's web uploader.
    static let picGo: [ImportRow] = [
        ImportRow(
            name: "PicGo: settings alone, headers and fields as JSON in text",
            text: #"""
                {"url": "https://p.example.org/api/upload", "paramName": "img", "jsonPath": "data.url",
                 "customHeader": "{\"token\": \"tk-12345\", \"X-A\": \"b\"}", "customBody": "{\"album\": 3, \"note\": \"${x}\"}"}
                """#,
            request: [
                "POST https://p.example.org/api/upload", "User-Agent: PicGo", "token: tk-12345", "X-A: b",
                "field album=3", "field note=${x}", "file img: picture.jpg",
            ],
            reply: #"{"data":{"url":"https://p.example.org/1"}}"#,
            result: ["link https://p.example.org/1"],
            secrets: ["token"]
        ),
        ImportRow(
            name: "PicGo: inside its own configuration; a number in the path",
            text: #"""
                {"picBed": {"current": "web-uploader", "uploader": "web-uploader", "smms": {"token": ""},
                  "web-uploader": {"url": "http://p.example.org/up", "paramName": "file", "jsonPath": "images.0.link",
                                   "customHeader": null, "customBody": ""}}}
                """#,
            request: ["POST http://p.example.org/up", "User-Agent: PicGo", "file file: picture.jpg"],
            reply: #"{"images":[{"link":"http://p.example.org/1"}]}"#,
            result: ["link http://p.example.org/1"]
        ),
        ImportRow(
            name: "PicGo: the chosen one of a list; the reply is the link",
            text: #"""
                {"uploader": {"web-uploader": {"defaultId": "b", "configList": [
                  {"_id": "a", "_configName": "one", "url": "http://a.example.org/", "paramName": "x"},
                  {"_id": "b", "_configName": "two", "url": "http://b.example.org/", "paramName": "y", "customHeader": {"User-Agent": "me"}}]}}}
                """#,
            request: ["POST http://b.example.org/", "User-Agent: me", "file y: picture.jpg"],
            reply: "http://b.example.org/1.jpg",
            result: ["link http://b.example.org/1.jpg"]
        ),
        ImportRow(
            name: "PicGo: a link made of a prefix, an identifier and a suffix",
            text: #"""
                {"url": "https://p.example.org/up", "paramName": "file", "jsonPath": "id", "urlPrefix": "https://cdn.example.org/",
                 "urlSuffix": ".jpg", "colour": "red"}
                """#,
            request: ["POST https://p.example.org/up", "User-Agent: PicGo", "file file: picture.jpg"],
            reply: #"{"id":"abc123"}"#,
            result: ["link https://cdn.example.org/abc123.jpg"],
            remarks: ["'colour' is not known"]
        ),
    ]
}
