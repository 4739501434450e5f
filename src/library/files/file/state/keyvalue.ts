// Settings in files of the form `key=value`.
import { recover } from '../../../../base/mod.ts'
import {
  decodeBytes,
  dictFrom,
  isDict,
  SPACE,
  str,
  strip,
  textOf,
  truthy,
  typeName,
  type Value,
} from '../../../../data/mod.ts'
import { arg, type Bound, expandUser, isHostError, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'

const flag = (doc: string) => arg.boolean(doc, { default: false })

const keyvalueArgs = {
  name: arg.string('Path of the file'),
  key: arg.text('The key', { optional: true }),
  value: arg.any('Value of the key: text, or another type that is written as text', { optional: true }),
  key_values: arg.any('Several keys with their values: a dict', { optional: true }),
  separator: arg.string('Separator of key and value', { default: '=' }),
  append_if_not_found: flag('Append missing keys'),
  prepend_if_not_found: flag('Prepend missing keys'),
  search_only: flag('Ignored'),
  show_changes: arg.flag('Report the difference', { default: true }),
  ignore_if_missing: flag('Accept a missing file'),
  count: arg.textOrNumber('Number of lines that may have a key: a number, or text of one; -1 for all', { default: 1 }),
  uncomment: arg.text('Comment characters to remove from the start of a line', { optional: true }),
  key_ignore_case: flag('Ignore the case of keys'),
  value_ignore_case: flag('Ignore the case of values'),
  create_if_missing: flag('Create the file when it does not exist'),
  prune: flag('Remove all other lines'),
}

type Options = Bound<typeof keyvalueArgs>

interface Pair {
  key: string
  value: Value
  /** Number of further lines that may have the key; negative for all. */
  left: number
}

const BLANKS = new RegExp(`^[${SPACE}]+`)
const BLANKS_AFTER = new RegExp(`[${SPACE}]+$`)

/** `str.lstrip` with a set of characters, or with blanks. */
function stripStart(text: string, chars: string | null): string {
  if (chars === null) return text.replace(BLANKS, '')
  const set = new Set(chars)
  let start = 0
  while (start < text.length && set.has(text[start]!)) start++
  return text.slice(start)
}

/** Return the keys with their values, or the fault of the options. */
function readPairs({ key, value, key_values, count }: Options): Pair[] | string {
  let pairs = key_values
  if (key !== null && value !== null) {
    pairs = dictFrom({ [key]: value })
  }
  if (!isDict(pairs) || pairs.size === 0) {
    const why = truthy(pairs) ? 'is not a dictionary' : 'is empty'
    return `file.keyvalue key and value not supplied and key_values ${why}`
  }
  return Array.from(pairs, ([name, value]) => ({ key: str(name), value, left: Number(str(count)) }))
}

/** One pass over the lines of a file: the new lines and their difference. */
class Editing {
  readonly content: string[] = []
  readonly diff: string[] = []
  readonly pruned: string[] = []
  changes = 0
  private readonly options: Options
  private readonly pairs: Pair[]

  constructor(options: Options, pairs: Pair[]) {
    this.options = options
    this.pairs = pairs
  }

  private cased(text: string): string {
    return this.options.key_ignore_case ? text.toLowerCase() : text
  }

  line(given: string): void {
    const { uncomment, separator, prune } = this.options
    const working = stripStart(given, uncomment)
    const wasCommented = working.length < given.length
    const start = this.cased(working)
    if (prune && !this.pairs.some(({ key }) => start.startsWith(this.cased(key)))) {
      this.pruned.push(given)
      return
    }
    const at = working.indexOf(separator)
    let line = given
    if (at >= 0) {
      const found = { key: working.slice(0, at), value: working.slice(at + separator.length), wasCommented }
      for (const pair of this.pairs) {
        if (start.startsWith(this.cased(pair.key)) && this.cased(found.key) === this.cased(pair.key)) {
          line = this.settle(line, pair, found)
        }
      }
    }
    this.content.push(line)
  }

  /** Return the new line; an empty text removes it. */
  private settle(line: string, pair: Pair, found: { key: string; value: string; wasCommented: boolean }): string {
    const { value_ignore_case, separator } = this.options
    const cased = (text: string): string => (value_ignore_case ? text.toLowerCase() : text)
    let isRight = cased(strip(found.value)) === cased(strip(str(pair.value)))
    let isDue = false
    if (!found.wasCommented) isDue = pair.left === 0
    else if (pair.left > 0) isDue = true
    else isRight = true
    let fresh = line
    if (!isRight || isDue) {
      this.diff.push(`- ${line}`)
      fresh = ''
      if (pair.left !== 0) {
        fresh = `${found.key}${separator}${str(pair.value)}\n`
        const isText = textOf(pair.value) !== undefined
        const shown = `${fresh.replace(BLANKS_AFTER, '')} (from ${typeName(pair.value)} type)\n`
        this.diff.push(`+ ${isText ? fresh : shown}`)
      }
      this.changes++
    }
    if (pair.left > 0) pair.left--
    return fresh
  }

  /** Add the keys that no line had. */
  add(where: 'end' | 'start'): void {
    const lines = this.pairs
      .filter(({ left }) => left > 0)
      .map(({ key, value }) => `${key}${this.options.separator}${str(value)}\n`)
    if (lines.length === 0) return
    this.changes += lines.length
    if (where === 'end') {
      this.diff.push('- <EOF>\n', ...lines.map((line) => `+ ${line}`), '+ <EOF>\n')
      this.content.push(...lines)
      return
    }
    this.diff.unshift('  <SOF>\n')
    for (const line of lines) {
      this.diff.splice(1, 0, `+ ${line}`)
      this.content.unshift(line)
    }
  }

  prune(): void {
    for (const line of this.pruned) this.diff.splice(1, 0, `- ${line}`)
  }
}

async function linesOf(ctx: StateContext, path: string): Promise<string[] | undefined> {
  return recover(isHostError, undefined, async () => {
    const text = decodeBytes(await ctx.host.read(path)).replace(/\r\n?/g, '\n')
    return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  })
}

async function setValues(ctx: StateContext, options: Options): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer: Answer = { ...begin(path), result: null }
  if (path === '') return fail(answer, 'Must provide name to file.keyvalue')
  const pairs = readPairs(options)
  if (typeof pairs === 'string') return fail(answer, pairs)
  const lines = await linesOf(ctx, path)
  const mayCreate = options.create_if_missing && (await ctx.host.stat(path)) === undefined
  if (!lines && !mayCreate) {
    return { ...answer, result: options.ignore_if_missing, comment: `unable to open ${path}` }
  }
  const editing = new Editing(options, pairs)
  for (const line of lines ?? []) editing.line(line)
  if (options.append_if_not_found || !lines) editing.add('end')
  else if (options.prepend_if_not_found) editing.add('start')
  editing.prune()
  return report(ctx, answer, path, editing, options.show_changes)
}

async function report(ctx: StateContext, answer: Answer, path: string, editing: Editing, show: boolean) {
  const { changes, diff, content } = editing
  const deleted = editing.pruned.length
  if (changes === 0 && deleted === 0) return { ...answer, result: true }
  if (show) answer.changes.set('diff', diff.join(''))
  if (ctx.test) {
    const summary = `File ${path} is set to be changed (${changes} lines modified, ${deleted} deleted)`
    const comment = show ? `${summary}\nPredicted diff:\n\r\t\t${diff.join('\r\t\t')}` : summary
    return { ...answer, comment }
  }
  try {
    await ctx.host.write(path, content.join(''))
  } catch (error) {
    if (!isHostError(error)) throw error
    return fail(answer, `${path} not writable`)
  }
  return { ...answer, result: true, comment: `Changed ${changes}, deleted ${deleted} lines` }
}

export const keyvalue = state({
  doc: 'Ensure that a file has settings of the form `key=value`.',
  args: keyvalueArgs,
  run: setValues,
})
