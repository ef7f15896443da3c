"""Compares what a commit led to with what its script expects. Each function yields faults, in words."""

COUNTS = ("rows", "matched", "matched_without_other_filter")


def state_of(reply):
    """held, committed or rejected; other words where status, exit code and document do not agree."""
    document, code = reply.document, reply.code
    if not isinstance(document, dict):
        return f"exit code {code} without a document: {reply.said}"
    if code == 0 and document.get("status") == "committed":
        return "committed"
    if code == 7 and document.get("status") == "error" and document.get("title") == "Answer not committed":
        return "held"
    if code not in (0, 7) and document.get("error") is True:
        return "rejected"
    return f"exit code {code} with {str(document)[:200]}"


def checks_of(state, document):
    """The checks of a hold or a receipt, by name."""
    if state == "held":
        checks = document.get("findings", []) + document.get("other_checks", [])
    else:
        checks = document.get("receipt", {}).get("checks", [])
    return {check["check"]: check for check in checks}


def joins_of(state, document):
    if state == "held":
        return document["evidence"]["joins"]
    return [join for check in document.get("receipt", {}).get("checks", []) for join in check.get("joins", [])]


def sides_of(joins):
    """(side, the other side, join) of each measured pair."""
    for join in joins:
        yield join["left"], join["right"], join
        yield join["right"], join["left"], join


def is_called(side, name):
    return name.lower() in (side["table"].lower(), side["alias"].lower())


def judge_located(expected, state, document, ids):
    wanted = expected.located
    if not wanted:
        return
    if state == "rejected":
        code = wanted.removeprefix("none (").removesuffix(")")
        if document.get("code") != code:
            yield f"rejected with the code {document.get('code')}, must be {code}"
        return
    source = document if state == "held" else document.get("receipt", {})
    found = source.get("final_query_id" if state == "held" else "query_id")
    if wanted.startswith("none"):
        reason = wanted.removeprefix("none (").removesuffix(")")
        if found is not None:
            yield f"located {found}, must be none"
        elif source.get("query_reason") != reason:
            yield f"located none because of {source.get('query_reason')}, must be {reason}"
    elif found != ids[int(wanted[1:])]:
        yield f"located {found}, must be {wanted}, that is {ids[int(wanted[1:])]}"


def judge_verdicts(expected, state, document):
    checks = checks_of(state, document)
    for name, check in checks.items():
        if check["verdict"] == "undetermined" and not (check.get("reason") and check.get("message")):
            yield f"{name} is undetermined without a reason in code and words"
    for name in expected.findings:
        if checks.get(name, {}).get("verdict") != "finding":
            yield f"no finding {name}; checks are {list(checks)}"
    for name, verdict, reason in expected.verdicts:
        check = checks.get(name, {})
        is_so = check.get("verdict") == verdict and (reason is None or check.get("reason") == reason)
        if not is_so:
            wanted = f"{verdict} ({reason})" if reason else verdict
            yield f"{name} is {check.get('verdict')} ({check.get('reason')}), must be {wanted}"


def judge_stated(expected, state, document):
    if expected.stated:
        found = [check.get("stated") for check in checks_of(state, document).values() if check.get("stated")]
        if found != [expected.stated]:
            yield f"stated in {found}, must be {expected.stated}"


def judge_sample(side, join, wanted):
    if not join.get("sample"):
        yield f"{wanted.name}: nothing says that the counts are of a sample"
    elif not 0 < join.get("margin", 0) < 0.5:
        yield f"{wanted.name}: the sample states the margin {join.get('margin')}"
    elif side["rows"] == 0 or abs(side["matched"] / side["rows"] - wanted.matched / wanted.rows) > join["margin"]:
        yield (f"{wanted.name}: {side['matched']} of {side['rows']} ± {join['margin']}, "
               f"is {wanted.matched} of {wanted.rows}")


def judge_sides(expected, state, document):
    joins = joins_of(state, document)
    for wanted in expected.sides:
        found = [(side, join) for side, other, join in sides_of(joins)
                 if is_called(side, wanted.name) and (not wanted.other or is_called(other, wanted.other))]
        if not found:
            yield f"no counts of {wanted.name}"
        elif expected.sample:
            yield from judge_sample(*found[0], wanted)
        elif (wanted.rows, wanted.matched) not in [(side["rows"], side["matched"]) for side, _ in found]:
            counts = " or ".join(f"{side['matched']} of {side['rows']}" for side, _ in found)
            yield f"{wanted.name} has {counts}, must be {wanted.matched} of {wanted.rows}"
    if expected.grouped and expected.sides:
        looked_at = [side for side, _, _ in sides_of(joins) if side["grouped"]]
        for name in expected.grouped:
            if not any(is_called(side, name) for side in looked_at):
                yield f"{name} is not among the grouped sides"
        for side in looked_at:
            if not any(is_called(side, name) for name in expected.grouped):
                yield f"{side['table']} is taken for a grouped side"


def counted(joins):
    """What a join's counts say, without how they are told."""
    return [[{name: side.get(name) for name in ("table", *COUNTS)} for side in (join["left"], join["right"])]
            for join in joins]


def judge_acknowledged(expected, state, document, hold):
    checks = checks_of(state, document)
    for name in expected.acknowledged:
        check = checks.get(name, {})
        if check.get("verdict") != "finding" or check.get("acknowledged") is not True:
            yield f"the receipt must have the finding {name} as acknowledged, has {check}"
        elif hold is None:
            yield "nothing was held before"
        elif counted(joins_of("held", hold)) != counted(joins_of(state, document)):
            yield "the receipt's counts are not those of the hold"


def judge_repairs(expected, document):
    if expected.no_repair and "repair" in str(document):
        yield "a repair is proposed, there must be none"


def judge(expected, state, document, ids, hold):
    """Everything that is expected of the first commit of a step, whose outcome was right."""
    yield from judge_located(expected, state, document, ids)
    if state == "rejected":
        return
    yield from judge_verdicts(expected, state, document)
    yield from judge_stated(expected, state, document)
    yield from judge_sides(expected, state, document)
    yield from judge_acknowledged(expected, state, document, hold)
    yield from judge_repairs(expected, document)


def judge_ledger(committed, reply, verification):
    """The ledger has the receipt as it was sent, and its counts can be made again."""
    if reply.code != 0 or not isinstance(reply.document, dict):
        yield f"the ledger does not show the answer: exit code {reply.code}, {reply.said}"
        return
    if reply.document.get("receipt") != committed.get("receipt"):
        yield "the ledger's receipt is not the one that was sent"
    if verification.code != 0 or not (verification.document or {}).get("same"):
        yield f"the counts are not the same again: exit code {verification.code}, {verification.said}"
