"""Where references lead to, by members and slots of classes, in memory of our own."""
import unittest

from lldb_commands.members import prefetch
from lldb_commands.members.prefetch import Ahead

LINK, COUPLING, OTHER = 0x1000, 0x2000, 0x3000  # classes


class Drawn:
    word_size = 8

    def __init__(self, words):
        self.words = words
        self.read = 0

    def word(self, address):
        self.read += 1
        return self.words.get(address)


class Looking(unittest.TestCase):
    def ahead_of(self, words, slots=((COUPLING, (8,)),)):
        self.memory = Drawn(words)
        made = Ahead(self.memory)
        made.learn_member({"name": "next"}, ("next",), 0x10000)
        made.learn_shapes({"class": hex(isa), "slots": list(offsets)} for isa, offsets in slots)
        made.begin_round()
        return made

    def found(self, made, word):
        return [address for _, address in made.members_from(word)]

    def test_members_of_the_object_itself(self):
        made = self.ahead_of({0x10000: LINK, 0x10100: LINK | 1})
        self.assertEqual([0x10100], self.found(made, 0x10100))
        self.assertEqual([], self.found(made, 0x5000))

    def test_through_slots_of_others(self):
        made = self.ahead_of({0x10000: LINK, 0x20000: COUPLING, 0x20008: 0x30000, 0x30000: COUPLING,
                              0x30008: 0x10000})
        self.assertEqual([0x10000], self.found(made, 0x20000))

    def test_a_ring_of_others_ends(self):
        made = self.ahead_of({0x10000: LINK, 0x20000: COUPLING, 0x20008: 0x20000})
        self.assertEqual([], self.found(made, 0x20000))

    def test_words_that_are_no_addresses_are_passed_over(self):
        made = self.ahead_of({0x10000: LINK, 0x20000: COUPLING, 0x20008: 0x10001})
        self.assertEqual([], self.found(made, 0x20000))

    def test_a_member_that_was_learnt_twice_is_found_once(self):
        made = self.ahead_of({0x10000: LINK})
        made.learn_member({"name": "next"}, ("next",), 0x10000)
        self.assertEqual([0x10000], self.found(made, 0x10000))

    def test_looks_as_far_as_it_paid(self):
        """A long chain without members is left to the engine; one that has some is followed."""
        words = {0x10000: LINK}
        for number in range(100000):
            words[0x100000 + 16 * number] = COUPLING
            words[0x100008 + 16 * number] = 0x100010 + 16 * number
        made = self.ahead_of(words)
        self.assertEqual([], self.found(made, 0x100000))
        self.assertLess(self.memory.read, 2500)
        for _ in range(100):
            self.found(made, 0x10000)
        made.begin_round()
        self.found(made, 0x100000 + 16 * 50000)
        self.assertGreater(self.memory.read, 4000)

    def test_members_of_one_round_have_a_bound(self):
        made = self.ahead_of({0x10000: LINK})
        found = sum(len(self.found(made, 0x10000)) for _ in range(30000))
        self.assertEqual(prefetch._MOST, found)
        made.begin_round()
        self.assertEqual([0x10000], self.found(made, 0x10000))


if __name__ == "__main__":
    unittest.main()
