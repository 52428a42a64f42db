# Words counted: associative arrays and texts.
{ for (at = 1; at <= NF; at++) { count[$at]++; last[$at] = $0 } }
END { for (word in count) letters += length(last[word]) * count[word]; print letters }
