# What bounds a ranking, what it is counted over, and its order where scores are equal.
data: corpus-1892

case: a filter of universe scope works before k in every search
$ candor memory recall quillmark -k 5 --no-graph --filter type=skill --filter-scope universe
exit: 0
json: results.# = 5
by: six skills hold the word
json: results[].type all "skill"
json: agent_surface.filter_scope = "universe"
$ candor memory recall quillmark -k 5 --no-graph --filter type=skill
exit: 0
json: agent_surface.filter_scope = "top-k"
$ candor memory deep-research quillmark --max-results 5 --filter type=skill --filter-scope universe
exit: 0
json: results.# = 5
json: results[].type all "skill"

case: the newer comes first where scores are equal, and five are the first of ten
$ candor memory hybrid-search "replay dusty dynamo" -k 5
exit: 0
json: results[].score is descending
keep: five = results[].name
$ candor memory hybrid-search "replay dusty dynamo" -k 10
exit: 0
json: results[].name starts {five}

case: a count under k is of k, and of what matched where that is asked for
$ candor memory recall quillmark -k 5 --no-graph --count-only
exit: 0
json: count = 5
json: agent_surface.count_scope = "top-k"

case: related says where its limit comes from and what it is a part of
data: graph-small
$ candor memory related note-a
exit: 0
json: agent_surface.query_limit = 10
json: agent_surface.query_limit_source = "default"
json: agent_surface.query_limit_kind = "top-k"
json: agent_surface.universe_total = 5
by: b, c, d at one hop; f at two; and g at two, over b
$ candor memory related note-a --limit 10
exit: 0
json: agent_surface.query_limit_source = "flag"
$ candor memory related note-a --limit 2
exit: 0
json: results.# = 2
json: agent_surface.universe_total = 5
