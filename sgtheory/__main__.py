"""``python -m sgtheory`` is the command."""

from sgtheory.command import main

if __name__ == "__main__":
    main()
