"""The projects that `oxidepy new` writes: a folder a template, and what fills them in."""
