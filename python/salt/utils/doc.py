"""Documentation as text."""

import re


def strip_rst(docs):
    for name, text in docs.items():
        if text:
            text = re.sub(r"[ \t]*\.\. code-block::[^\n]*\n\n?", "", text)
            docs[name] = re.sub(r":(?:doc|ref|mod|func|class):", "", text).replace("``", "`")
    return docs


def parse_docstring(docstring):
    return {"full": docstring}
