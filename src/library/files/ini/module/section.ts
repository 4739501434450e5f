// Files of sections and options as Salt reads and writes them: comments and unknown lines are kept under generated
// names, and further indented lines belong to the preceding option.
import { dictFrom, PyError, reEscape, str, type Value } from '../../../../data/mod.ts'

const COMMENT = /^\s*([#;])/
const INDENTED = /^(\s+)/
const HEADING = /^\s*\[(.+?)\]\s*$/m

interface Form {
  separator: string
  noSpaces: boolean
}

export class Section {
  readonly name: string
  entries = new Map<string, string | Section>()
  separator: string
  private readonly noSpaces: boolean
  private readonly option: RegExp

  constructor(name: string, { separator, noSpaces }: Form) {
    this.name = name
    this.separator = separator
    this.noSpaces = noSpaces
    this.option = optionPattern(separator)
  }

  /** Parse the lines of one section. */
  read(text: string): void {
    const content = text.replace(/^\n+|\n+$/g, '')
    if (content === '') return
    let comments = 0
    let unknown = 0
    let indent = ''
    for (const line of content.split('\n')) {
      if (COMMENT.test(line)) {
        this.entries.set(`#comment${++comments}`, line)
        continue
      }
      const further = INDENTED.exec(line)?.[1]?.replaceAll('\t', '    ')
      if (further !== undefined && further > indent) {
        this.continueLast(line)
        continue
      }
      const match = this.option.exec(line)
      if (match) {
        indent = match[1]!.replaceAll('\t', '    ')
        this.separator = match[3]!
        this.entries.set(match[2]!, match[4]!)
      } else this.entries.set(`#unknown${++unknown}`, line)
    }
  }

  private continueLast(line: string): void {
    const last = [...this.entries.keys()].at(-1)
    if (last !== undefined) this.entries.set(last, `${this.entries.get(last) as string}\n${line}`)
  }

  /** Set options and sections; return the old and new values that differ. */
  update(wanted: ReadonlyMap<Value, Value>): Map<Value, Value> {
    const changes = new Map<Value, Value>()
    for (const [key, value] of wanted) {
      const name = str(key)
      const held = this.entries.get(name)
      if (held === undefined) {
        changes.set(key, difference(null, plainOf(value)))
        this.insert(name, value)
      } else if (held instanceof Section) {
        if (!(value instanceof Map)) throw new PyError('AttributeError', "'str' object has no attribute 'items'")
        const below = held.update(value)
        if (below.size > 0) changes.set(key, below)
      } else if (value instanceof Map || held !== str(value)) {
        changes.set(key, difference(held, plainOf(value)))
        this.entries.set(name, this.made(name, value))
      }
    }
    return changes
  }

  private made(name: string, value: Value): string | Section {
    if (!(value instanceof Map)) return str(value)
    const section = new Section(name, { separator: this.separator, noSpaces: this.noSpaces })
    section.update(value)
    return section
  }

  /** Insert an option at the place of a comment with it, or else at the end. */
  private insert(name: string, value: Value): void {
    const made = this.made(name, value)
    const comment = made instanceof Section ? undefined : this.commentWith(name)
    if (comment === undefined) {
      this.entries.set(name, made)
      return
    }
    const replaced = new Map<string, string | Section>()
    for (const [key, held] of this.entries) {
      if (key === comment) replaced.set(name, made)
      else replaced.set(key, held)
    }
    this.entries = replaced
  }

  private commentWith(name: string): string | undefined {
    for (const [key, held] of this.entries) {
      if (!key.includes('#comment') || typeof held !== 'string') continue
      if (this.option.exec(held.replace(/^#+/, ''))?.[2] === name) return key
    }
    return undefined
  }

  /** Return the lines below the heading, sections last. */
  *lines(): Generator<string> {
    const sections: Section[] = []
    for (const [name, value] of this.entries) {
      if (value instanceof Section) sections.push(value)
      else if (COMMENT.test(name)) yield `${value}\n`
      else yield `${name}${this.written()}${value}\n`
    }
    for (const section of sections) {
      yield `\n[${section.name}]\n`
      yield* section.lines()
    }
  }

  private written(): string {
    if (/^ *$/.test(this.separator)) return ' '
    const bare = this.separator.trim()
    return this.noSpaces ? bare : ` ${bare} `
  }

  /** Return options and sections without comments. */
  plain(): Map<Value, Value> {
    const values = new Map<Value, Value>()
    for (const [name, value] of this.entries) {
      if (!name.startsWith('#')) values.set(name, value instanceof Section ? value.plain() : value)
    }
    return values
  }
}

/** Escape the separator as Salt does: with a backslash before its first character. */
function optionPattern(separator: string): RegExp {
  const text = separator === '' ? '' : `${reEscape(separator[0]!)}${reEscape(separator.slice(1))}`
  return new RegExp(`^(\\s*)(.+?)\\s*(${text})\\s*(.*)\\s*`)
}

const difference = (before: string | null, after: Value): Map<Value, Value> => dictFrom({ before, after })

/** Return values as they would be read after writing: as texts. */
function plainOf(value: Value): Value {
  if (!(value instanceof Map)) return str(value)
  return new Map(Array.from(value, ([key, held]): [Value, Value] => [str(key), plainOf(held)]))
}

export function readIni(name: string, text: string, form: Form): Section {
  const file = new Section(name, form)
  if (text === '') return file
  const [top = '', ...parts] = text.split(HEADING)
  file.read(top)
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const section = new Section(parts[i]!, { ...form, separator: file.separator })
    section.read(parts[i + 1]!)
    // an option that exists as a comment takes the place of the comment
    file.update(new Map([[section.name, new Map(section.entries as Map<Value, string>)]]))
  }
  return file
}

export function writeIni(file: Section): string {
  const [first = '', ...rest] = file.lines()
  return [first.replace(/^\n+/, ''), ...rest].join('')
}
