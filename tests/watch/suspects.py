"""What the tests of suspects in snapshots share: a program that stays, and what is said of its heap."""
from __future__ import annotations

import json
import os
import subprocess
from typing import Any, Dict, List

import watching

LOUPE = os.environ["LOUPE_TOOL"]


class Heap:
    """The heap of a program at its end."""

    def __init__(self, program: str, *arguments: str, rules: str = "", **environment: str) -> None:
        with subprocess.Popen([str(watching.PROGRAMS / program), *arguments], text=True,
                              env={**os.environ, **environment}, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                said = process.stdout.readline()
                assert said == "done\n", said
                asked = [LOUPE, "suspects", str(process.pid), *(["--rules", rules] if rules else [])]
                answer = subprocess.run([*asked, "--json"], capture_output=True, text=True,
                                        check=False)
                self.complaint = answer.stderr
                self.answer: Dict[str, Any] = json.loads(answer.stdout)
                self.text = subprocess.run(asked, capture_output=True, text=True,
                                           check=False).stdout
            finally:
                process.kill()

    def all(self) -> List[str]:
        """held CLASS, leaked CLASS: one for each object."""
        return sorted(f"{how} {group['class']}" for how, key in (("held", "suspects"), ("leaked", "leaked"))
                      for group in self.answer[key] if group.get("kind") != "share"
                      for _ in range(group["count"]))
