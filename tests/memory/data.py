"""The data of the cases of tests/memory: the same bytes everywhere, since each value is arithmetic on its row's number."""

import contextlib
import sqlite3

KINDS = ["note", "project", "reference", "decision", "incident", "document", "feedback", "user"]
THINGS = ["project", "tool", "file", "concept", "incident", "decision", "memory", "dashboard", "issue_tracker",
          "organization", "location", "date"]
RELATIONS = ["applies_to", "uses", "depends_on", "causes", "fixes", "contradicts", "supports", "follows", "related",
             "mentions", "replaces", "tracked_in"]
TEAMS = ["harbor", "meadow", "summit", "canyon", "delta", "prairie", "lagoon"]
COLOURS = ["amber", "brisk", "cobalt", "dusty", "eager", "frosty", "gentle", "humble", "ivory", "jolly"]
PLACES = ["anchor", "bridge", "cellar", "dynamo", "engine", "furnace", "gateway", "hangar", "inverter", "junction", "kiln",
          "lathe", "mill"]
DEEDS = ["rotate", "patch", "measure", "archive", "replay", "compare", "publish", "inspect", "rebuild"]
WEIGHTS = [0.2, 0.3, 0.5, 0.7, 0.9]
# (memories, entities, relations) of each namespace
CORPUS = {"global": (1892, 15615, 20000), "atlas": (48, 60, 70), "borealis": (17, 20, 10)}

GRAPH = [("a", "b", "uses", 0.9), ("b", "c", "depends_on", 0.8), ("c", "a", "follows", 0.7), ("a", "d", "mentions", 0.3),
         ("d", "e", "causes", 0.29), ("d", "f", "supports", 0.31), ("f", "h", "uses", 0.5), ("g", "h", "uses", 0.6),
         ("g", "b", "fixes", 0.45), ("h", "i", "related", 0.5), ("h", "j", "related", 0.5), ("h", "k", "related", 0.5),
         ("i", "j", "follows", 0.4), ("i", "j", "mentions", 0.6), ("k", "k", "related", 0.5), ("l", "a", "contradicts", 0.29)]
CARDS = ["abacus", "bellows", "caliper", "derrick", "easel", "flywheel", "gantry", "hoist", "ingot", "jigsaw", "keystone",
         "lever"]

SCRIPTS = [("ru-pismo", "Письмо", "Письмо о переносе срока отправлено заказчику вечером."),
           ("ja-kyoto", "京都支社", "京都支社の引っ越しは来月です。"),
           ("ko-server", "서버", "서버 장애로 결제가 중단되었습니다."),
           ("th-prathet", "ประเทศ", "บริษัทเปิดสาขาใหม่ในประเทศไทยปีหน้า"),
           ("ar-muhandis", "مهندس", "المهندس المسؤول عن قاعدة البيانات اسمه كريم."),
           ("en-emoji", "Reactions", "The launch got 🚀🚀 and one 🦑 from the night shift.")]


def entity(number):
    name = f"{COLOURS[number % 10]}-{PLACES[number % 13]}-{number:05d}"
    return name, "person" if number % 146 == 0 else THINGS[number % 12]


def words_of(i, tail):
    words = [f"To {DEEDS[i % 9]} the {COLOURS[i % 10]} {PLACES[i % 13]}, follow step {i % 17}."]
    if i % 6 == 0 and i < 1800:
        words.append("The quillmark procedure applies.")
    if i % 150 == 33:
        words.append("Watch for duskfern residue.")
    if i == 1234:
        words.append("The code word is vantablue.")
    if i % 400 == 21:
        words.append(f"Naïve façades were re-checked in São Paulo; owner: o'neil@example.org, v{i % 9}.2.0.")
    return " ".join([*words, tail]).strip()


def metadata_of(i):
    data = {"owner": {"team": TEAMS[i % 7], "lead": COLOURS[i % 10]}, "serial": i}
    if i % 11 != 0:
        data["priority"] = i % 5
    if i % 13 == 0:
        data["reviewed"] = f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}T08:00:00Z"
    if i % 97 == 0:
        data["release.tag"] = f"r{i // 97}"
    if i % 19 == 0:
        data["flag"] = None
    return data


def heading(space, i):
    """Name, type and last words of a memory of the corpus."""
    kind = KINDS[i % 8]
    if space == "global":
        return f"memo-{i:04d}", "skill" if i % 49 == 7 else KINDS[(i * 5 + i // 8) % 8], ""
    if space == "atlas":
        return f"atlas-{i:03d}", "skill" if i % 10 == 3 else kind, "Only the onlyatlas desk keeps it; quillmark too."
    # A name is unique in its namespace alone.
    return f"memo-{i:04d}" if i < 3 else f"boreal-{i:03d}", kind, "Seen by onlyborealis staff."


def corpus(space):
    memories, entities, relations = CORPUS[space]
    for i in range(memories):
        bound = [*range(i, entities, memories), *([i - 1] if i > 0 else [])]
        edges = []
        for n in range(relations // memories + (i < relations % memories)):
            ends = bound[n % len(bound)], bound[(n + 1 + n // len(bound)) % len(bound)]
            if ends[0] != ends[1]:
                edges.append({"source": entity(ends[0])[0], "target": entity(ends[1])[0],
                              "relation": RELATIONS[(i + n) % 12], "weight": WEIGHTS[(i + n) % 5]})
        name, kind, tail = heading(space, i)
        yield {"name": name, "type": kind, "description": f"{COLOURS[i % 10].title()} {PLACES[i % 13]} number {i}",
               "body": words_of(i, tail), "metadata": metadata_of(i), "relationships": edges,
               "entities": [dict(zip(("name", "entity_type"), entity(number))) for number in bound]}


def graph_small(_space):
    for letter, card in zip("abcdefghijkl", CARDS):
        yield {"name": f"note-{letter}", "type": "note", "description": f"the {card} card", "body": f"Card about the {card}.",
               "entities": [{"name": f"node-{letter}", "entity_type": "concept"}], "metadata": {"letter": letter}}


def multilingual(_space):
    for name, description, body in SCRIPTS:
        yield {"name": name, "type": "note", "description": description, "body": body, "metadata": {"lang": name[:2]}}


SETS = {"corpus-1892": (corpus, list(CORPUS)), "graph-small": (graph_small, ["global"]),
        "multilingual": (multilingual, ["global"]), "empty": (lambda _space: [], ["global"])}


def write_rows(path):
    """The database of the set `sql-rows`."""
    rows = [(i, "skill" if i % 64 == 5 else ["note", "task", "memo"][i % 3], i * 7919 % 2503, TEAMS[i % 7],
             f"row {i} of the {TEAMS[i % 7]} team", None if i % 10 == 0 else i % 4) for i in range(1, 2501)]
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, kind TEXT, score INTEGER, team TEXT, label TEXT, "
                         "grade INTEGER)")
        database.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)", rows)
        database.execute("CREATE TABLE blank (id INTEGER PRIMARY KEY, kind TEXT)")
