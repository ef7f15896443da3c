# A query is words and not a language: nothing in it can be a mistake, and no word has to stand in every memory.
data: corpus-1892

case: no sign of a question makes it fail
each: ["vantablue?", "'vantablue", "vantablue, please", "@vantablue", "vantablue + more", "$vantablue", "50% vantablue", "vantablue!", "this & vantablue", "\"vantablue", "(vantablue", "vantablue*", "body:vantablue", "NOT vantablue", "NEAR(vantablue", "^vantablue", "o'neil vantablue"]
$ ["candor", "memory", "hybrid-search", "{each}", "-k", "3"]
exit: 0
json: results[].name has "memo-1234"
json: fts_degraded = false

case: nor in the other searches
each: ["vantablue?", "what's the vantablue, then", "(vantablue\" AND *"]
$ ["candor", "memory", "recall", "{each}", "--no-graph"]
exit: 0
json: results[].name has "memo-1234"
each: ["vantablue?", "what's the vantablue, then", "(vantablue\" AND *"]
$ ["candor", "memory", "deep-research", "{each}"]
exit: 0
json: results[].name has "memo-1234"

case: a question in whole sentences finds what holds a part of its words
$ candor memory hybrid-search "which procedure does the vantablue user prefer on Sundays"
exit: 0
json: results[0].name = "memo-1234"

case: signs alone are an empty answer with a reason
each: ["?", "!!! ...", "\"\"", "🙃"]
$ ["candor", "memory", "hybrid-search", "{each}"]
exit: 0
json: results.# = 0
json: reason exists
json: agent_surface.universe_total = 1892
