"""Validates JSON files against a JSON Schema with python3-jsonschema, a validator that is not ours.

validate_scenarios.py SCHEMA FILE...  prints a JSON object: for each file the list of paths that are wrong, as
`vp check` writes them ("mesh.width", "checks[0].metric", "" for the whole file); [] if it is valid; null if it is
no JSON.
"""
import json
import sys

import jsonschema


def path_text(parts):
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + part
    return text


def wrong_paths(error):
    """The places of an error; of an unknown key that key, of a missing one that key and where it is missing."""
    here = list(error.absolute_path)
    if error.validator == "additionalProperties":
        return [path_text(here + [key]) for key in error.instance if key not in error.schema["properties"]]
    if error.validator in ("required", "dependentRequired") and isinstance(error.instance, dict):
        missing = [key for key in error.validator_value if key not in error.instance]
        return [path_text(here)] + [path_text(here + [key]) for key in missing]
    return [path_text(here)]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    result = {}
    for name in sys.argv[2:]:
        try:
            with open(name, encoding="utf-8") as file:
                scenario = json.load(file)
        except ValueError:
            result[name] = None
            continue
        paths = set()
        for error in validator.iter_errors(scenario):
            paths.update(wrong_paths(error))
        result[name] = sorted(paths)
    json.dump(result, sys.stdout)


main()
