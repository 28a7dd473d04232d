"""``python -m discourse_nmt``: the command ``discourse-nmt``."""

from discourse_nmt.command_line import main

if __name__ == "__main__":
    main()
