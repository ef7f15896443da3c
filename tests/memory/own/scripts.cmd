# Words of scripts without blanks are found inside of a run, and entities may be named in any script.
data: multilingual

case: within a run
each: ["引っ越し", "支社", "장애", "ประเทศไทย", "สาขา", "قاعدة", "срока", "🦑"]
$ ["candor", "memory", "hybrid-search", "{each}", "-k", "1"]
exit: 0
json: results.# = 1

case: in each its own
$ candor memory hybrid-search ประเทศไทย
exit: 0
json: results[].name = ["th-prathet"]
$ candor memory hybrid-search 支社
exit: 0
json: results[].name = ["ja-kyoto"]

case: entities of every script
data: multilingual fresh
each: ["東京", "Москва", "كريم", "กรุงเทพ", "서울"]
$ ["candor", "memory", "link", "--from", "{each}", "--to", "hub", "--relation", "uses", "--create-missing"]
exit: 0
json: from = "{each}"
