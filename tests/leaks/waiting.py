"""Programs that say "ready", wait until their input ends, and end with 0 if they were right."""
import os
import subprocess


def snapshot_of(command, loupe, snapshot, **variables):
    """Saves a snapshot of the program while it waits; what went wrong, as text, or nothing."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **variables}) as process:
        try:
            while (line := process.stdout.readline()) not in ("ready\n", ""):
                pass
            made = subprocess.run([loupe, "snapshot", str(process.pid), snapshot],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=60, check=False)
        finally:
            process.stdin.close()
        if process.wait(timeout=60) or not line:
            return f"the program itself ended with {process.returncode}"
    return "" if snapshot.exists() else made.stdout
