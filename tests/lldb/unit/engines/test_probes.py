"""Joining descriptions of blocks and ivars with what the dispose probe saw."""
import unittest

from lldb_commands.names.probes import join_block, join_ivars


def capture(offset, kind, *evidence, size=8):
    return {"offset": offset, "size": size, "name": None, "type": None, "kind": kind,
            "value": "0x1", "class": None, "evidence": list(evidence), "byref": None}


def joined(captures, released, weak_tested=True):
    answer = {"captures": captures, "conflicts": [],
              "probe": {"skipped": None, "weak_tested": weak_tested,
                        "captures": [{"offset": offset, "size": 8, "kind": kind}
                                     for offset, kind in released.items()]}}
    join_block(answer)
    return answer


def rows(answer):
    return [(row["offset"], row["size"], row["kind"], row["evidence"])
            for row in answer["captures"]]


class Blocks(unittest.TestCase):
    def test_what_both_say_has_one_more_evidence(self):
        answer = joined([capture(32, "strong", "symbol"), capture(40, "byref", "layout"),
                         capture(48, "weak", "layout")],
                        {32: "strong", 40: "byref", 48: "weak"})
        self.assertEqual([["symbol", "probe"], ["layout", "probe"], ["layout", "probe"]],
                         [row[3] for row in rows(answer)])
        self.assertEqual([], answer["conflicts"])

    def test_a_block_that_is_released_as_an_object_stays_a_block(self):
        answer = joined([capture(32, "block", "symbol")], {32: "strong"})
        self.assertEqual([(32, 8, "block", ["symbol", "probe"])], rows(answer))

    def test_what_the_layout_calls_strong_and_nobody_releases_is_not_owned(self):
        answer = joined([capture(32, "strong", "layout"), capture(40, "strong", "layout")],
                        {32: "strong"})
        self.assertEqual((40, 8, "unretained", ["probe"]), rows(answer)[1])
        self.assertEqual([{"offset": 40, "kept": "unretained", "discarded": "strong",
                           "kept_by": "probe", "discarded_by": "layout"}], answer["conflicts"])

    def test_silence_of_a_weak_slot_means_nothing_where_they_cannot_be_told(self):
        answer = joined([capture(32, "weak", "layout")], {}, weak_tested=False)
        self.assertEqual([(32, 8, "weak", ["layout"])], rows(answer))
        self.assertEqual([], answer["conflicts"])

    def test_a_released_word_in_a_run_of_unknown_bytes_gets_a_row(self):
        answer = joined([capture(32, "unknown", size=30)], {40: "strong", 48: "block"})
        self.assertEqual([(32, 8, "unknown", []), (40, 8, "strong", ["probe"]),
                          (48, 8, "block", ["probe"]), (56, 6, "unknown", [])], rows(answer))
        self.assertEqual([], answer["conflicts"])

    def test_released_data_is_a_conflict(self):
        answer = joined([capture(32, "data", "layout")], {32: "strong"})
        self.assertEqual([(32, 8, "strong", ["probe"])], rows(answer))
        self.assertEqual(["data"], [item["discarded"] for item in answer["conflicts"]])

    def test_a_probe_that_was_not_made_changes_nothing(self):
        answer = {"captures": [capture(32, "strong", "layout")], "conflicts": [],
                  "probe": {"skipped": "it has no dispose helper", "captures": None}}
        join_block(answer)
        self.assertEqual([(32, 8, "strong", ["layout"])], rows(answer))


def ivar(name, offset, ownership, *fields):
    return {"name": name, "offset": offset, "size": 8, "ownership": ownership,
            "fields": list(fields)}


def field(path, offset, ownership):
    return {"path": path, "offset": offset, "size": 8, "ownership": ownership}


def with_probe(ivars, released, weak_tested=True, skipped=None):
    seen = None if skipped else [{"path": None, "offset": offset, "ownership": ownership}
                                 for offset, ownership in released.items()]
    answer = {"levels": [{"class": "Cell", "ivars": ivars}, {"class": "NSObject", "ivars": []}],
              "probe": {"levels": [{"class": "Cell", "skipped": skipped, "ivars": seen,
                                    "weak_tested": weak_tested}]}}
    join_ivars(answer)
    return answer


class Ivars(unittest.TestCase):
    def ownerships(self, answer):
        return {leaf.get("path") or leaf["name"]: leaf["ownership"]
                for item in answer["levels"][0]["ivars"] for leaf in [item, *item["fields"]]}

    def test_unknown_ownership_is_found(self):
        array = ivar("_all", 16, "unknown", field("_all[0]", 16, "unknown"),
                     field("_all[1]", 24, "unknown"))
        answer = with_probe([ivar("_a", 8, "unknown"), array, ivar("_c", 32, "unknown"),
                             ivar("_d", 40, "assumed")],
                            {8: "weak", 16: "strong", 24: "strong", 40: "strong"})
        self.assertEqual({"_a": "weak", "_all": "strong", "_all[0]": "strong",
                          "_all[1]": "strong", "_c": "unknown", "_d": "strong"}, self.ownerships(answer))
        self.assertEqual([], answer["conflicts"])

    def test_contradiction_is_shown(self):
        answer = with_probe([ivar("_a", 8, "strong"), ivar("_b", 16, "unretained")],
                            {16: "strong"})
        self.assertEqual({"_a": "unretained", "_b": "strong"}, self.ownerships(answer))
        self.assertEqual([8, 16], [item["offset"] for item in answer["conflicts"]])

    def test_weak_ivar_stays_weak_where_weak_slots_cannot_be_told(self):
        answer = with_probe([ivar("_a", 8, "weak")], {}, weak_tested=False)
        self.assertEqual({"_a": "weak"}, self.ownerships(answer))

    def test_a_class_without_the_method_keeps_what_is_known(self):
        answer = with_probe([ivar("_a", 8, "strong")], {}, skipped="it has no .cxx_destruct")
        self.assertEqual({"_a": "strong"}, self.ownerships(answer))
        self.assertEqual("it has no .cxx_destruct", answer["levels"][0]["probe"]["skipped"])
        self.assertNotIn("probe", answer["levels"][1])


if __name__ == "__main__":
    unittest.main()
