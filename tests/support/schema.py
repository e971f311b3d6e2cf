"""Whether answers are as docs/schema/answers.schema.json has them: the part of JSON Schema 2020-12 that it
uses, and strict beyond it. Fields may be added for readers, so the schema allows them; here a field that it
does not name is a mistake, of the schema or of the answer.
"""
import json
import pathlib
import re
from typing import Any, Dict, List, Optional, Set, Tuple

Json = Any
FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema" / "answers.schema.json"
_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class Schema:
    def __init__(self, path: pathlib.Path = FILE) -> None:
        self.whole: Dict[str, Json] = json.loads(path.read_text(encoding="utf-8"))
        self.definitions: Dict[str, Json] = self.whole["$defs"]

    def problems(self, answer: Dict[str, Json]) -> List[str]:
        """What is wrong with an answer, by its query."""
        name = f"answer:{answer.get('query')}"
        if name not in self.definitions:
            return [f"no schema of {name}"]
        found: List[str] = []
        self._check(answer, self.definitions[name], "answer", found)
        return found

    # ---- One value ----

    def _check(self, value: Json, schema: Json, at: str, found: List[str]) -> None:
        known = self._names(schema, value)
        if isinstance(value, dict) and known is not None:
            found += [f"{at}: {name} is not in the schema" for name in value if name not in known]
        self._check_parts(value, schema, at, found)

    def _check_parts(self, value: Json, schema: Json, at: str, found: List[str]) -> None:
        if "$ref" in schema:
            self._check_parts(value, self._led(schema), at, found)
        for part in schema.get("allOf", ()):
            self._check_parts(value, part, at, found)
        if "anyOf" in schema:
            self._check_any(value, schema["anyOf"], at, found)
        if "if" in schema:
            self._check_parts(value, schema["then" if self._fits(value, schema["if"]) else "else"], at, found)
        self._check_plain(value, schema, at, found)
        if isinstance(value, dict):
            self._check_members(value, schema, at, found)
        if isinstance(value, list) and "items" in schema:
            for number, item in enumerate(value):
                self._check(item, schema["items"], f"{at}[{number}]", found)

    def _check_plain(self, value: Json, schema: Json, at: str, found: List[str]) -> None:
        kinds = schema.get("type")
        if kinds is not None and not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
            found.append(f"{at}: {value!r:.60} is no {kinds}")
        if "const" in schema and value != schema["const"]:
            found.append(f"{at}: {value!r} is not {schema['const']!r}")
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"{at}: {value!r} is none of {schema['enum']}")
        if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
            found.append(f"{at}: {value!r} does not look like {schema['pattern']}")

    def _check_members(self, value: Dict[str, Json], schema: Json, at: str, found: List[str]) -> None:
        members = schema.get("properties", {})
        found += [f"{at}: {name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, item in value.items():
            if name in members:
                self._check(item, members[name], f"{at}.{name}", found)
            elif isinstance(schema.get("additionalProperties"), dict):
                self._check(item, schema["additionalProperties"], f"{at}.{name}", found)

    def _check_any(self, value: Json, choices: List[Json], at: str, found: List[str]) -> None:
        best: Optional[List[str]] = None
        for choice in choices:
            problems: List[str] = []
            self._check(value, choice, at, problems)
            if best is None or len(problems) < len(best):
                best = problems
        found += best or []

    def _fits(self, value: Json, schema: Json) -> bool:
        problems: List[str] = []
        self._check_parts(value, schema, "", problems)
        return not problems

    # ---- Definitions ----

    def _led(self, schema: Json) -> Json:
        return self.definitions[schema["$ref"].rpartition("/")[2]]

    def _names(self, schema: Json, value: Json) -> Optional[Set[str]]:
        """All members that it names; None: it names none, or any will do."""
        names, is_open = self._named(schema)
        return names if names and not is_open and "anyOf" not in schema else None

    def _named(self, schema: Json) -> Tuple[Set[str], bool]:
        names = set(schema.get("properties", ()))
        is_open = isinstance(schema.get("additionalProperties"), dict)
        for part in [*schema.get("allOf", ()), *([self._led(schema)] if "$ref" in schema else [])]:
            more, opened = self._named(part)
            names |= more
            is_open |= opened
        return names, is_open


def _is(value: Json, kind: str) -> bool:
    if kind in ("integer", "number"):
        return isinstance(value, int) and not isinstance(value, bool) or kind == "number" and isinstance(value, float)
    return isinstance(value, _TYPES[kind])
