"""The members of ivars in ivar-layout: which rows there are of arrays."""
import unittest

from lldb_commands.render.fields import member_rows


def objects(pattern, values, start=8, ownership="strong"):
    return [{"path": pattern.format(index), "offset": start + 8 * index, "size": 8, "type": "@",
             "ownership": ownership, "value": value} for index, value in enumerate(values)]


def numbers(path, values, size=4, kind="i", count=None):
    return {"path": path, "offset": 8, "size": size, "type": kind, "ownership": "none",
            "value": None, "count": count or len(values),
            "values": [str(value) for value in values] or None}


def shown(fields, verbose=False, **ivar):
    """Each row as "size path value"."""
    rows = member_rows({"fields": fields, **ivar}, verbose)
    return [" ".join(str(part) for part in (row["size"], row["path"],
                                            row.get("shown") or row.get("value")))
            for row in rows]


class Rows(unittest.TestCase):
    def test_equal_numbers_are_one_row(self):
        self.assertEqual(["5000 x 4 _b[0..4999] 0"], shown([numbers("_b[0]", [0] * 5000)]))

    def test_numbers_in_runs_have_a_row_for_each(self):
        self.assertEqual(["3 x 4 _b[0..2] 0", "4 _b[3] 7", "2 x 4 _b[4..5] 0"],
                         shown([numbers("_b[0]", [0, 0, 0, 7, 0, 0])]))

    def test_of_many_different_numbers_the_first_are_shown(self):
        self.assertEqual(["100 x 4 _b[0..99] 0, 1, 2, 3, 4, 5, ..."],
                         shown([numbers("_b[0]", range(100))]))

    def test_of_a_class_there_are_no_values(self):
        self.assertEqual(["9 x 4 _b[0..8] None"], shown([numbers("_b[0]", [], count=9)]))

    def test_characters_are_text_if_nothing_else_is_in_the_array(self):
        hello = [*b"hello", 0, 0, 0]
        self.assertEqual(['8 x 1 _b[0..7] "hello"'], shown([numbers("_b[0]", hello, 1, "c")]))
        stained = [27, *b"[31m", 0]
        self.assertNotIn('"', " ".join(shown([numbers("_b[0]", stained, 1, "c")])))

    def test_few_objects_have_a_row_each(self):
        self.assertEqual(["8 _o[0] 0x10", "8 _o[1] 0x0", "8 _o[2] 0x20"],
                         shown(objects("_o[{}]", ["0x10", "0x0", "0x20"])))

    def test_many_objects_are_counted(self):
        values = [hex(16 * number) for number in range(1, 98)] + ["0x0"] * 3
        self.assertEqual(["100 x 8 _o[0..99] 97 objects, 3 nil"], shown(objects("_o[{}]", values)))

    def test_the_one_that_is_there_is_found_among_many_that_are_not(self):
        values = ["0x0"] * 50 + ["0x10"] + ["0x0"] * 49
        self.assertEqual(["50 x 8 _o[0..49] 0x0", "8 _o[50] 0x10", "49 x 8 _o[51..99] 0x0"],
                         shown(objects("_o[{}]", values)))

    def test_a_member_of_all_structs_of_an_array_is_one_row(self):
        fields = [field for index in range(30) for field in
                  (numbers(f"_s[{index}].name[0]", [0] * 16, 1, "c"),
                   *objects(f"_s[{index}].o", ["0x0"]))]
        self.assertEqual(["480 x 1 _s[0..29].name[0..15] 0", "30 x 8 _s[0..29].o 0x0"],
                         shown(fields))

    def test_what_differs_in_ownership_stays_apart(self):
        fields = objects("_o[{}]", [None] * 20) + objects("_o[2{}]", [None] * 9, 168, "weak")
        self.assertEqual(["20 x 8 _o[0..19] None", "9 x 8 _o[20..28] None"], shown(fields))

    def test_verbose_shows_every_element(self):
        rows = shown([numbers("_b[0]", range(5)), *objects("_o[{}]", ["0x10"] * 20)], verbose=True)
        self.assertEqual(25, len(rows))
        self.assertEqual("4 _b[4] 4", rows[4])

    def test_what_the_engine_left_out_is_counted(self):
        self.assertEqual("  7 further members, not listed",
                         shown(objects("_o[{}]", ["0x10"]), fields_left_out=7)[-1])


if __name__ == "__main__":
    unittest.main()
