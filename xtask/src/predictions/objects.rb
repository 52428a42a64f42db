# Objects, texts and arrays of them.
Item = Struct.new(:name, :tags, :weight)
items = (1..90_000).map { |at| Item.new("item #{at}", ["a#{at % 7}", "b#{at % 11}"], at * 0.5) }
groups = items.group_by { |item| item.tags.join("/") }
lines = groups.map { |tags, of| "#{tags}: #{of.map(&:name).join(', ')}" }
puts lines.size, lines.sum(&:size)
