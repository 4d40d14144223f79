// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// The forms of text that the adapter language has, for reference and schema.
enum AdapterDefinitions {
    static let all = [
        template, extractor, test,
        // A login has steps, and a step may have its own auth: tables that hold each other cannot be made.
        Definition("step", .keys(AdapterFields.step), "One request of several; see the table of the same name."),
    ]

    static let template = Definition(
        "template",
        .one(.text),
        """
        Text with `${name}` in it, filled for each delivery. `${name|filter:argument|…}` changes the value, \
        `${name!}` refuses the upload where it is absent, `$${` is the characters `${`. A template with an absent \
        value is absent, and what it was for is not sent; an empty literal is kept. A template that is one `${name}` \
        keeps the type of the value.

        \(TemplateNotes.variables)
        \(TemplateNotes.filters)
        """
    )

    static let extractor = Definition(
        "extractor",
        .one(.text),
        """
        Where a value of the reply stands; known by how it begins: `$.` or `$[` JSON path, `/` XPath without \
        namespaces, `header NAME`, `text` the whole body, `line N`, `csv COLUMN` (`line N`), `regex PATTERN` its first \
        group, `status`, `final_url`. Anything else is a template over what was saved. In a list the first that gives \
        a value counts.
        """
    )

    static let test = Definition(
        "test",
        .either([
            .one(.text), .list(.defined("test")),
            .keys(
                Section(
                    "any or all",
                    [
                        FieldSpec("any", .shaped(.defined("test")), "One of these must hold"),
                        FieldSpec("all", .shaped(.defined("test")), "All of these must hold"),
                    ]
                )
            ),
        ]),
        """
        `VALUE == TEXT`, `!=`, `=~ PATTERN`, `in A,B`, `exists`, `missing`, or a VALUE alone, which must be neither \
        absent, empty, zero nor false. VALUE is an extractor, a template or the name of a variable. All lines of a list \
        must hold, one of a list under `any:`.
        """
    )
}
