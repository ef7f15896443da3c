#!/usr/bin/env python3
"""Writes the database of a small flashcards application, app.sqlite or the path given: the same rows each time.

Two workspaces, lisbon and oslo, keep cards that are learned by repeating. A deck is a saved filter by tags. Nothing here
speaks of a person.
"""

import datetime
import json
import pathlib
import sqlite3
import sys

SCHEMA = """
CREATE TABLE cards (
  card_id INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  front TEXT NOT NULL,
  back TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'basic',
  tags TEXT NOT NULL DEFAULT '[]',
  repetitions INTEGER NOT NULL DEFAULT 0,
  suspended INTEGER NOT NULL DEFAULT 0,
  due_at TEXT,
  deleted_at TEXT,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  import_token TEXT
);
CREATE INDEX cards_of_workspace ON cards (workspace, due_at);
CREATE TABLE decks (
  deck_id INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  name TEXT NOT NULL,
  tags TEXT NOT NULL
);
CREATE TABLE reviews (
  review_id INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  card_id INTEGER NOT NULL REFERENCES cards (card_id),
  rating TEXT NOT NULL,
  seconds REAL,
  reviewed_at TEXT NOT NULL
);
"""

SUBJECTS = {
    "capital": [("France", "Paris"), ("Japan", "Tokyo"), ("Norway", "Oslo"), ("Portugal", "Lisbon"), ("Kenya", "Nairobi"),
                ("Peru", "Lima"), ("Canada", "Ottawa"), ("Ghana", "Accra"), ("Nepal", "Kathmandu"), ("Chile", "Santiago")],
    "element": [("Fe", "iron"), ("Au", "gold"), ("Na", "sodium"), ("K", "potassium"), ("Ag", "silver"), ("Pb", "lead"),
                ("Sn", "tin"), ("Hg", "mercury"), ("W", "tungsten"), ("Cu", "copper")],
    "square": [(str(n), str(n * n)) for n in range(11, 31)],
}
START = datetime.datetime(2026, 1, 5, 8, 0, 0)


def question(subject, front):
    return {"capital": f"What is the capital of {front}?", "element": f"Which element is {front}?",
            "square": f"What is {front} squared?"}[subject]


def cards():
    number = 0
    for workspace, step in (("lisbon", 1), ("oslo", 2)):
        for subject, pairs in SUBJECTS.items():
            for i, (front, back) in enumerate(pairs[::step]):
                number += 1
                tags = [subject] + (["hard"] if i % 3 == 2 else []) + (["week-%d" % (i % 4)] if i % 2 else [])
                due = START + datetime.timedelta(days=number % 9, hours=i)
                yield (number, workspace, question(subject, front), back, "cloze" if i % 5 == 4 else "basic", json.dumps(tags),
                       number * 7 % 12, int(number % 13 == 0), str(due) if number % 6 else None,
                       str(START) if number % 17 == 0 else None, str(START - datetime.timedelta(days=number)), None)


def reviews(all_cards):
    number = 0
    for card in all_cards:
        for i in range(card[6] % 5):
            number += 1
            at = START - datetime.timedelta(days=i + 1, minutes=number % 50)
            yield (number, card[1], card[0], ["again", "hard", "good", "easy"][(number * 3 + i) % 4],
                   (number * 13 % 90) / 4 + 1.5 if number % 11 else None, str(at))


def main():
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "app.sqlite")
    path.unlink(missing_ok=True)
    made = list(cards())
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    database.executemany("INSERT INTO cards VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", made)
    database.executemany("INSERT INTO decks VALUES (?,?,?,?)",
                         [(1, "lisbon", "Capitals", '["capital"]'), (2, "lisbon", "Hard ones", '["hard"]'),
                          (3, "oslo", "Numbers", '["square"]')])
    database.executemany("INSERT INTO reviews VALUES (?,?,?,?,?,?)", reviews(made))
    database.commit()
    database.close()
    print(f"{path}: {len(made)} cards of two workspaces")


if __name__ == "__main__":
    main()
