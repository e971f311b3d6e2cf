"""Programs that say "ready", wait until their input goes on or ends, and end with 0 if they were
right."""
import os
import subprocess


def snapshots_of(command, loupe, folder, **variables):
    """Saves a snapshot of the program from outside each time that it waits: their files in order,
    and what went wrong, as text, or nothing."""
    snapshots, said = [], ""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **variables}) as process:
        try:
            for line in process.stdout:
                if line != "ready\n":
                    continue
                snapshots.append(folder / f"{len(snapshots)}.loupe")
                made = subprocess.run([loupe, "snapshot", str(process.pid), snapshots[-1]],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      timeout=60, check=False)
                said = said or ("" if snapshots[-1].exists() else made.stdout)
                process.stdin.write("\n")
                process.stdin.flush()
        finally:
            process.stdin.close()
        if process.wait(timeout=60) or not snapshots:
            return snapshots, f"the program itself ended with {process.returncode}"
    return snapshots, said
