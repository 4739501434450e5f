// Text as man(7) source. All foreign text passes through `roff`, so that no character of it is a request or an escape of troff.

/** Characters that troff changes: its escape sign, and those that it prints as typographic signs. */
const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Return text that prints as it is; line breaks become blanks. */
export function roff(text: string): string {
  const signs = text.replace(/\s+/g, ' ').replace(/[\\'`^~-]/g, (sign) => SIGNS[sign]!)
  const ascii = signs.replace(
    /[^\x20-\x7e]/gu,
    (sign) => `\\[u${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
  )
  // a full stop at the beginning of a line is a request
  return ascii.replace(/^\./, '\\&.')
}

export const bold = (text: string): string => `\\fB${roff(text)}\\fR`

export const italic = (text: string): string => `\\fI${roff(text)}\\fR`

/** Prose with `code` in bold. */
export function prose(text: string): string {
  const parts = text.split(/`([^`]*)`/)
  const shown = parts.map((part, index) => (index % 2 === 0 ? roff(part) : bold(part)))
  return shown.join('').replace(/^\./, '\\&.')
}

export const section = (title: string): string => `.SH ${roff(title.toUpperCase()).replaceAll('"', '\\(dq')}`

export const subsection = (title: string): string => `.SS ${roff(title).replaceAll('"', '\\(dq')}`

/** Return an entry of a list: its subject and its text. */
export const entry = (title: string, text: string): string => `.TP\n${title}\n${text}`

/** Lines that stay as they are. */
export function example(lines: readonly string[]): string {
  return ['.nf', '.RS 4', ...lines.map((line) => (line === '' ? '\\&' : roff(line))), '.RE', '.fi'].join('\n')
}

export interface Head {
  name: string
  section: 1 | 5 | 7
  /** A short description of the name. */
  meaning: string
}

export interface Source {
  version: string
  date: string
}

const inQuotes = (text: string): string => `"${roff(text).replaceAll('"', '\\(dq')}"`

const WIDTH = 80

/** Break a line of text at blanks. A line that begins with a full stop would be a request. */
function folded(line: string): string {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!
    if (last === '') lines[lines.length - 1] = word
    else if (last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word.startsWith('.') ? `\\&${word}` : word)
  }
  return lines.join('\n')
}

/** Fold the lines of text; requests, titles of entries and examples stay as they are. */
function fold(source: string): string {
  let isExample = false
  let previous = ''
  const lines = source.split('\n').map((line) => {
    if (line === '.nf' || line === '.fi') isExample = line === '.nf'
    const stays = isExample || line.startsWith('.') || previous === '.TP'
    previous = line
    return stays ? line : folded(line)
  })
  return lines.join('\n')
}

export function page(
  { name, section: number, meaning }: Head,
  { version, date }: Source,
  parts: readonly string[],
): string {
  const head = [
    '.TH',
    inQuotes(name.toUpperCase()),
    String(number),
    `"${date}"`,
    inQuotes(`Brine ${version}`),
    inQuotes('Brine'),
  ]
  return `${fold(
    [
      '.\\" Made by tools/man.ts from the declarations of the program.',
      head.join(' '),
      '.ad l',
      section('Name'),
      `${roff(name)} \\- ${roff(meaning)}`,
      ...parts,
    ].join('\n'),
  )}\n`
}

/** The pages to read next; the last has no comma. */
export function seeAlso(pages: readonly (readonly [string, number])[]): string {
  const rows = pages.map(([name, number], i) => `.BR ${roff(name)} (${number})${i < pages.length - 1 ? ',' : ''}`)
  return [section('See also'), ...rows].join('\n')
}
