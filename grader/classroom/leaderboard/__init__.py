"""The leaderboard of a class: who is fastest in each lab, of those who take part, by pseudonym."""
