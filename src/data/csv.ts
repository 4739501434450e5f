// Comma-separated values, parsed like Python's csv.reader: quotes are doubled, and an empty line has no fields.

/** The records of a text, each as its fields. */
export function parseCsv(text: string, delimiter = ','): string[][] {
  const records: string[][] = []
  let fields: string[] = []
  let position = 0
  while (position < text.length) {
    if (fields.length === 0 && text[position] === '\n') {
      records.push([])
      position += 1
      continue
    }
    const [field, end] = readField(text, position, delimiter)
    fields.push(field)
    position = end
    if (text[position] === delimiter) {
      position += 1
      if (position < text.length && text[position] !== '\n') continue
      fields.push('')
    }
    records.push(fields)
    fields = []
    position += 1
  }
  return records
}

/** A field from a position on, and where it ends: at a delimiter, a line's end, or the end of the text. */
function readField(text: string, start: number, delimiter: string): [field: string, end: number] {
  let field = ''
  let position = start
  let quoted = text[position] === '"'
  if (quoted) position += 1
  for (; position < text.length; position++) {
    const char = text[position]!
    if (!quoted && (char === delimiter || char === '\n' || char === '\r')) break
    if (!quoted || char !== '"') field += char
    else if (text[position + 1] === '"') {
      field += char
      position += 1
    } else quoted = false
  }
  return [field, text[position] === '\r' && text[position + 1] === '\n' ? position + 1 : position]
}
