"""What is in the package: the extension, and nothing that only its tests need."""
import json
import re
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
        self.assertEqual({"extension/package.json", "extension/readme.md", "extension/LICENSE.txt",
                          "extension/changelog.md", "extension/icon.png", "extension/ring.png"}, extra)

    def test_what_the_gallery_shows_is_there(self):
        with zipfile.ZipFile(PACKAGE) as package:
            described = json.loads(package.read("extension/package.json"))
            readme = package.read("extension/readme.md").decode()
            icon = package.read("extension/" + described["icon"])
            self.assertEqual((128, 128), (int.from_bytes(icon[16:20], "big"), int.from_bytes(icon[20:24], "big")))
            for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", readme):
                self.assertIn("extension/" + picture, package.namelist())
            self.assertIn("## " + described["version"], package.read("extension/changelog.md").decode())

    def test_a_folder_that_is_not_trusted_names_nothing_that_is_run(self):
        with zipfile.ZipFile(PACKAGE) as package:
            described = json.loads(package.read("extension/package.json"))
        settings = described["contributes"]["configuration"]["properties"]
        restricted = described["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
        for name, setting in settings.items():
            if setting["type"] == "string":
                self.assertTrue(setting["scope"] == "machine" or name in restricted, name)

    def test_the_server_is_offered(self):
        with zipfile.ZipFile(PACKAGE) as package:
            described = json.loads(package.read("extension/package.json"))["contributes"]
            program = package.read("extension/out/src/extension.js").decode()
        [provider] = described["mcpServerDefinitionProviders"]
        self.assertIn(f"registerMcpServerDefinitionProvider('{provider['id']}'", program)

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
