"""What is in the package: the extension, and nothing that only its tests need."""
import json
import sys
import unittest
import zipfile

PACKAGE = ""


class Package(unittest.TestCase):
    def test_it_has_the_extension_and_no_more(self):
        with zipfile.ZipFile(PACKAGE) as package:
            names = {name for name in package.namelist() if name.startswith("extension/")}
            described = json.loads(package.read("extension/package.json"))
        self.assertIn("extension/" + described["main"].lstrip("./"), names)
        extra = {name for name in names if not name.startswith("extension/out/src/")}
        self.assertEqual({"extension/package.json", "extension/readme.md", "extension/LICENSE.txt"},
                         extra)

    def test_each_command_of_a_menu_is_one_of_the_extension(self):
        with zipfile.ZipFile(PACKAGE) as package:
            described = json.loads(package.read("extension/package.json"))["contributes"]
            program = package.read("extension/out/src/extension.js").decode()
        commands = {command["command"] for command in described["commands"]}
        used = {item["command"] for menu in described["menus"].values() for item in menu}
        self.assertEqual(commands, used)
        for command in commands:
            self.assertIn(f"'{command}'", program)


if __name__ == "__main__":
    PACKAGE = sys.argv.pop()
    unittest.main()
