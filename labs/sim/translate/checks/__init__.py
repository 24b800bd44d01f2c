"""What is refused or warned of, though g++ might compile it."""
