// The text of a file, and searches in it.
import { decodeBytes, reEscape, splitLines, truthy, valueError } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

/** Return the lines of a file, split as by `str.splitlines`. */
export async function readLines({ host }: StateContext, path: string, keepEnds: boolean): Promise<string[]> {
  return splitLines(decodeBytes(await host.read(path)), keepEnds)
}

export async function hasMatch(ctx: StateContext, path: string, pattern: string): Promise<boolean> {
  return truthy(await ctx.call('file.search', [path, pattern], { multiline: true }))
}

/** Return the words of a line; a word that begins with a quote ends at the next quote. */
function wordsOf(line: string): string[] {
  // quotes are plain characters unless both kinds occur
  const quote = !line.includes(`'\\"`) && line.includes("'") ? '"' : ''
  const words: string[] = []
  for (let at = 0; at < line.length; ) {
    if (' \t\r\n'.includes(line[at]!)) {
      at++
      continue
    }
    let end = at + 1
    if (line[at] === quote) {
      end = line.indexOf(quote, at + 1) + 1
      if (end === 0) throw valueError('No closing quotation')
    } else {
      while (end < line.length && !' \t\r\n'.includes(line[end]!)) end++
    }
    words.push(line.slice(at, end))
    at = end
  }
  return words
}

/** Return a pattern that matches a text with any whitespace. */
export function looselyBlank(text: string): string {
  const blank = '(?:[\\s]+)?'
  const lines = splitLines(text).map((line) => `${blank}${wordsOf(line).map(reEscape).join(blank)}${blank}`)
  return `(?m)^${lines.join('')}$`
}
