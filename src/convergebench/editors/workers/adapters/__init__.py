"""One file a model. An adapter is run by path in a foreign environment, and imports nothing of ours.

`load(parameters)` gets the parameters of the model's name, and `replica` (0, 1, …), and returns anything.
`edit(state, image_path, instruction, seed, output_path)` gets that and writes a picture. An exception
called `Refused` says that the model will not do this edit. `MODEL` and `VERSION` are reported in the hello.
"""
