"""An adapter that does what the instruction says: to run in a worker, in any Python."""

import os
import shutil
import subprocess
import sys
import time

MODEL = "moody"
VERSION = "7"


class Refused(Exception):
    pass


def load(parameters):
    print("printed while loading")
    os.write(1, b'{"hello": 99}\n')
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
    with open(parameters["notes"], "a") as notes:
        notes.write("%d %d %s\n" % (os.getpid(), parameters["replica"], sys.prefix))
    if parameters.get("broken"):
        raise RuntimeError("the weights are not there")
    return parameters


def starts(state):
    with open(state["notes"]) as notes:
        return len(notes.readlines())


def edit(state, image_path, instruction, seed, output_path):
    print('{"done": true}')
    sys.stderr.write("about to " + instruction + "\n")
    if instruction == "crash" or (instruction == "crash twice" and starts(state) < 3):
        os.abort()
    if instruction == "exit":
        sys.exit(5)
    if instruction == "hang" or (instruction == "hang once" and starts(state) < 2):
        time.sleep(1000)
    if instruction == "refuse":
        raise Refused("not this one")
    if instruction == "raise":
        raise ValueError("out of luck")
    if instruction == "take long":
        time.sleep(0.3)
    if instruction == "write nonsense":
        with open(output_path, "w") as output:
            output.write("no picture")
    elif instruction != "write nothing":
        shutil.copyfile(image_path, output_path)
