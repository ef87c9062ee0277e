"""An adapter that does what the instruction says: to run in a worker, in any Python."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

MODEL = "moody"
VERSION = "7"


class Refused(Exception):
    pass


def load(parameters):
    print("printed while loading")
    os.write(1, b'{"hello": 99}\n')
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
    with Path(parameters["notes"]).open("a") as notes:
        notes.write(f"{os.getpid()} {parameters['replica']} {sys.prefix}\n")
    if parameters.get("broken"):
        raise RuntimeError("the weights are not there")
    return parameters


def starts(state):
    return len(Path(state["notes"]).read_text().splitlines())


def meet(state):
    """Come back when the other replica is here too."""
    here = [Path(f"{state['notes']}.{replica}") for replica in range(2)]
    here[state["replica"]].touch()
    end = time.time() + 60
    while not all(sign.exists() for sign in here):
        assert time.time() < end, "nobody came"
        time.sleep(0.01)


def edit(state, image_path, instruction, seed, output_path):
    print('{"done": true}')
    sys.stderr.write("about to " + instruction + "\n")
    if instruction == "crash" or (instruction == "crash twice" and starts(state) < 3):
        os.abort()
    if instruction.startswith("exit"):
        sys.exit(5)
    if instruction == "hang" or (instruction == "hang once" and starts(state) < 2):
        time.sleep(1000)
    if instruction == "refuse":
        raise Refused("not this one")
    if instruction == "raise":
        raise ValueError("out of luck")
    if instruction == "meet":
        meet(state)
    if instruction == "write nonsense":
        Path(output_path).write_text("no picture")
    elif instruction != "write nothing":
        shutil.copyfile(image_path, output_path)
