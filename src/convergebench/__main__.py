"""python -m convergebench"""

from convergebench.cli import main

if __name__ == "__main__":
    main()
