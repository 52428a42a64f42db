# Words counted and sorted: texts, dictionaries, lists.
words = {}
seed = 1
for turn in range(160_000):
    seed = (seed * 1103515245 + 12345) % 2147483648
    word = "word%d" % (seed % 20_000)
    words.setdefault(word, []).append(turn)
lines = ["%s: %s" % (word, ", ".join(str(turn) for turn in turns)) for word, turns in sorted(words.items())]
print(len(lines), sum(len(line) for line in lines))
