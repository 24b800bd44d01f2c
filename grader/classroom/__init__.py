"""Many submissions: what an instructor does with a class. The students' archive has none of it."""
