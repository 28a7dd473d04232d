"""How translations say *you*: forms of address, and the sentences of scenes that show one."""
