// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ImportRow {
    /// Bodies without a form, and requests without a body.
    static let bodies: [ImportRow] = [
        ImportRow(
            name: "XML body",
            text: #"""
                {"Version": "14.1.0", "RequestURL": "https://x.example.org/rpc", "Body": "XML",
                 "Data": "<file><name>{filename}</name><data>{input}</data></file>", "URL": "{xml:/ok/url}"}
                """#,
            request: [
                "POST https://x.example.org/rpc", "Content-Type: application/xml",
                "body <file><name>picture.jpg</name><data>cGljdHVyZQ==</data></file>",
            ],
            reply: "<ok><url>https://x.example.org/1</url></ok>",
            result: ["link https://x.example.org/1"],
            remarks: ["Data: {input} is the text"]
        ),
        ImportRow(
            name: "GET without a body, as of URL shorteners",
            text: #"""
                {"Version": "14.1.0", "DestinationType": "URLShortener", "RequestMethod": "GET",
                 "RequestURL": "https://s.example.org/api", "Parameters": {"fixed": "1"}, "Body": "None", "URL": "{response}"}
                """#,
            request: ["GET https://s.example.org/api?fixed=1"],
            reply: "https://s.example.org/abc",
            result: ["link https://s.example.org/abc"],
            remarks: ["made for URLShortener", "the uploader sends no file"]
        ),
        ImportRow(
            name: "legacy GET: arguments are parameters",
            text: #"""
                {"Name": "tiny", "RequestType": "GET", "RequestURL": "https://s.example.org/create.php",
                 "Arguments": {"format": "simple"}, "ResponseType": "Text"}
                """#,
            request: ["GET https://s.example.org/create.php?format=simple"],
            reply: "https://s.example.org/abc",
            result: ["link https://s.example.org/abc"],
            remarks: ["the uploader sends no file"]
        ),
        ImportRow(
            name: "DELETE without a body",
            text: #"""
                {"Version": "15.0.0", "RequestMethod": "DELETE", "RequestURL": "https://s.example.org/old?all", "Body": "None",
                 "URL": "{json:url}"}
                """#,
            request: ["DELETE https://s.example.org/old?all"],
            reply: #"{"url":"https://s.example.org/gone"}"#,
            result: ["link https://s.example.org/gone"],
            remarks: ["the uploader sends no file"]
        ),
    ]
}
