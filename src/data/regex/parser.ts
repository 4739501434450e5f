// Python's patterns → a tree, with the checks that `re.compile` makes and its messages.
import { PyError, valueError } from '../errors.ts'
import { intFromText } from '../number-text.ts'
import { quote } from '../repr.ts'
import { type Pattern, RegexFlag, type RegexNode, UNBOUNDED } from './ast.ts'
import { lower, lowerAscii } from './case.ts'
import { ANY, charSet, NOT_NEWLINE } from './char-set.ts'
import { patternEscape } from './escapes.ts'
import { isFlag, parseInlineFlags, TYPE_FLAGS } from './inline-flags.ts'
import { isIdentifier, lengthOf, PatternSource, regexError } from './pattern-source.ts'
import { parseSet } from './set-parser.ts'
import { type Width, widthOf } from './width.ts'

const { ASCII, IGNORECASE, LOCALE, MULTILINE, DOTALL, UNICODE, VERBOSE } = RegexFlag

/** Groups within groups; Python's own stack ends a little later. */
const DEEPEST = 400

export function parsePattern(text: string, flags = 0): Pattern {
  return new Parser(text, flags).parse()
}

class Parser {
  private readonly source: PatternSource
  private readonly names = new Map<string, number>()
  /** Widths of the groups by number; undefined while a group is open. */
  private readonly widths: Array<Width | undefined> = [undefined]
  /** Positions of conditionals that name a group that may come later. */
  private readonly laterGroups = new Map<number, number>()
  /** How many groups there were at the start of the outermost look-behind. */
  private lookbehindStart: number | undefined
  private flags: number
  private depth = 0

  constructor(text: string, flags: number) {
    this.source = new PatternSource(text)
    this.flags = flags
  }

  parse(): Pattern {
    const root = this.alternatives(this.flags, true)
    this.flags = checkedFlags(this.flags)
    if (this.source.next !== undefined) throw this.source.error('unbalanced parenthesis')
    for (const [group, position] of this.laterGroups) {
      if (group >= this.widths.length) throw this.source.errorAt(`invalid group reference ${group}`, position)
    }
    assertFixedLookbehinds(root, this.widths)
    return { root, groups: this.widths.length - 1, names: this.names, flags: this.flags }
  }

  private alternatives(flags: number, top = false): RegexNode {
    if (++this.depth > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
    const found = [this.sequence(flags, top)]
    // flags for the whole pattern are at its start, so all alternatives use them
    while (this.source.match('|')) found.push(this.sequence(top ? this.flags : flags))
    this.depth--
    return found.length === 1 ? found[0]! : { kind: 'branch', alternatives: found }
  }

  private sequence(given: number, first = false): RegexNode {
    const { source } = this
    const items: RegexNode[] = []
    let flags = given
    for (;;) {
      const token = source.next
      if (token === undefined || token === '|' || token === ')') break
      source.get()
      if (flags & VERBOSE && this.skippedBlank(token)) continue
      if (token === '(') {
        const item = this.parenthesis(flags, first && items.length === 0)
        if (first) flags = this.flags
        if (item !== undefined) items.push(item)
      } else if ('*+?{'.includes(token)) this.repeat(token, items, flags)
      else items.push(this.simple(token, flags))
    }
    return items.length === 1 ? items[0]! : { kind: 'sequence', items }
  }

  /** Spaces and comments of a verbose pattern. */
  private skippedBlank(token: string): boolean {
    if (/^[ \t\n\r\v\f]$/.test(token)) return true
    if (token !== '#') return false
    for (;;) {
      const skipped = this.source.get()
      if (skipped === undefined || skipped === '\n') return true
    }
  }

  private simple(token: string, flags: number): RegexNode {
    const setFlags = { ignoreCase: (flags & IGNORECASE) !== 0, ascii: (flags & ASCII) !== 0 }
    if (token.startsWith('\\')) {
      const escaped = patternEscape(this.source, token)
      switch (escaped.kind) {
        case 'char':
          return { kind: 'set', set: charSet(false, [escaped.code, escaped.code], [], setFlags) }
        case 'category':
          return { kind: 'set', set: charSet(false, [], [escaped.category], setFlags) }
        case 'group':
          return this.numberedReference(escaped.group, flags)
        case 'assertion':
          if (escaped.letter === 'A') return { kind: 'anchor', anchor: 'text-start' }
          if (escaped.letter === 'Z') return { kind: 'anchor', anchor: 'text-end' }
          return { kind: 'boundary', negated: escaped.letter === 'B', ascii: setFlags.ascii }
      }
    }
    switch (token) {
      case '[':
        return { kind: 'set', set: parseSet(this.source, setFlags) }
      case '.':
        return { kind: 'set', set: flags & DOTALL ? ANY : NOT_NEWLINE }
      case '^':
        return { kind: 'anchor', anchor: flags & MULTILINE ? 'line-start' : 'text-start' }
      case '$':
        return { kind: 'anchor', anchor: flags & MULTILINE ? 'line-end' : 'last-line-end' }
      default: {
        const code = token.codePointAt(0)!
        return { kind: 'set', set: charSet(false, [code, code], [], setFlags) }
      }
    }
  }

  private repeat(token: string, items: RegexNode[], flags: number): void {
    const { source } = this
    const here = source.position
    const bounds = this.bounds(token)
    if (bounds === undefined) {
      items.push(this.simple('{', flags))
      return
    }
    const [min, max] = bounds
    const body = items.at(-1)
    const start = here - 1
    if (body === undefined || body.kind === 'anchor' || body.kind === 'boundary') {
      throw source.errorAt('nothing to repeat', start)
    }
    if (body.kind === 'repeat') throw source.errorAt('multiple repeat', start)
    const mode = source.match('?') ? 'lazy' : source.match('+') ? 'possessive' : 'greedy'
    items[items.length - 1] = { kind: 'repeat', min, max, mode, body }
  }

  /** Return the bounds of a repeat; undefined for a brace that only looks like one. */
  private bounds(token: string): [min: number, max: number] | undefined {
    if (token === '?') return [0, 1]
    if (token === '*') return [0, UNBOUNDED]
    if (token === '+') return [1, UNBOUNDED]
    const { source } = this
    if (source.next === '}') return undefined
    const here = source.position
    const low = source.getWhile(Number.POSITIVE_INFINITY, /^[0-9]$/)
    const high = source.match(',') ? source.getWhile(Number.POSITIVE_INFINITY, /^[0-9]$/) : low
    if (!source.match('}')) {
      source.seek(here)
      return undefined
    }
    const min = low === '' ? 0 : count(low)
    const max = high === '' ? UNBOUNDED : count(high)
    if (max < min) throw source.errorAt('min repeat greater than max repeat', here)
    return [min, max]
  }

  /** Parse the text after an opening parenthesis; undefined if it adds no node. */
  private parenthesis(flags: number, first: boolean): RegexNode | undefined {
    const { source } = this
    const start = source.position - 1
    if (!source.match('?')) return this.group(start, flags)
    const mark = source.get()
    switch (mark) {
      case undefined:
        throw source.error('unexpected end of pattern')
      case 'P':
        return this.pythonGroup(start, flags)
      case ':':
        return this.closed(start, (body) => ({ kind: 'group', number: undefined, body }), flags)
      case '#':
        this.comment(start)
        return undefined
      case '=':
      case '!':
        return this.closed(start, (body) => ({ kind: 'look', behind: false, negated: mark === '!', body }), flags)
      case '<':
        return this.lookbehind(start, flags)
      case '(':
        return this.conditional(start, flags)
      case '>':
        return this.closed(start, (body) => ({ kind: 'atomic', body }), flags)
      default:
        if (isFlag(mark) || mark === '-') return this.flagged(start, mark, flags, first)
        throw source.error(`unknown extension ?${mark}`, lengthOf(mark) + 1)
    }
  }

  /** The contents up to the closing parenthesis, wrapped. */
  private closed(start: number, wrap: (body: RegexNode) => RegexNode, flags: number): RegexNode {
    const body = this.alternatives(flags)
    if (!this.source.match(')')) throw this.source.errorAt('missing ), unterminated subpattern', start)
    return wrap(body)
  }

  private group(start: number, flags: number, name?: string): RegexNode {
    const number = this.widths.push(undefined) - 1
    if (name !== undefined) {
      const other = this.names.get(name)
      if (other !== undefined) {
        const message = `redefinition of group name ${quote(name)} as group ${number}; was group ${other}`
        throw this.source.error(message, lengthOf(name) + 1)
      }
      this.names.set(name, number)
    }
    const node = this.closed(start, (body) => ({ kind: 'group', number, body }), flags)
    this.widths[number] = widthOf(node, this.widths)
    return node
  }

  private pythonGroup(start: number, flags: number): RegexNode {
    const { source } = this
    if (source.match('<')) {
      const name = source.getUntil('>', 'group name')
      source.assertGroupName(name)
      return this.group(start, flags, name)
    }
    if (source.match('=')) {
      const name = source.getUntil(')', 'group name')
      source.assertGroupName(name)
      const group = this.names.get(name)
      if (group === undefined) throw source.error(`unknown group name ${quote(name)}`, lengthOf(name) + 1)
      return this.reference(group, flags, lengthOf(name) + 1)
    }
    const mark = source.get()
    if (mark === undefined) throw source.error('unexpected end of pattern')
    throw source.error(`unknown extension ?P${mark}`, lengthOf(mark) + 2)
  }

  private comment(start: number): void {
    for (;;) {
      if (this.source.next === undefined) throw this.source.errorAt('missing ), unterminated comment', start)
      if (this.source.get() === ')') return
    }
  }

  private lookbehind(start: number, flags: number): RegexNode {
    const { source } = this
    const mark = source.get()
    if (mark === undefined) throw source.error('unexpected end of pattern')
    if (mark !== '=' && mark !== '!') throw source.error(`unknown extension ?<${mark}`, lengthOf(mark) + 2)
    const outermost = this.lookbehindStart === undefined
    if (outermost) this.lookbehindStart = this.widths.length
    const body = this.alternatives(flags)
    if (outermost) this.lookbehindStart = undefined
    if (!source.match(')')) throw source.errorAt('missing ), unterminated subpattern', start)
    return { kind: 'look', behind: true, negated: mark === '!', body }
  }

  private conditional(start: number, flags: number): RegexNode {
    const { source } = this
    const name = source.getUntil(')', 'group name')
    const group = this.conditionGroup(name)
    this.assertOutsideLookbehind(group)
    const yes = this.sequence(flags)
    let no: RegexNode | undefined
    if (source.match('|')) {
      no = this.sequence(flags)
      if (source.next === '|') throw source.error('conditional backref with more than two branches')
    }
    if (!source.match(')')) throw source.errorAt('missing ), unterminated subpattern', start)
    return { kind: 'conditional', group, yes, no }
  }

  private conditionGroup(name: string): number {
    const { source } = this
    const back = lengthOf(name) + 1
    if (isIdentifier(name)) {
      const group = this.names.get(name)
      if (group === undefined) throw source.error(`unknown group name ${quote(name)}`, back)
      return group
    }
    const group = groupNumber(name)
    if (group === undefined) throw source.error(`bad character in group name ${quote(name)}`, back)
    if (group === 0) throw source.error('bad group number', back)
    if (group >= MOST_GROUPS) throw source.error(`invalid group reference ${group}`, back)
    if (!this.laterGroups.has(group)) this.laterGroups.set(group, source.position - back)
    return group
  }

  private flagged(start: number, mark: string, flags: number, first: boolean): RegexNode | undefined {
    const inline = parseInlineFlags(this.source, mark)
    if (!inline.scoped) {
      this.flags |= inline.on
      if (!first) throw this.source.errorAt('global flags not at the start of the expression', start)
      return undefined
    }
    const kept = inline.on & TYPE_FLAGS ? flags & ~TYPE_FLAGS : flags
    return this.closed(start, (body) => ({ kind: 'group', number: undefined, body }), (kept | inline.on) & ~inline.off)
  }

  private numberedReference(group: number, flags: number): RegexNode {
    const digits = String(group).length
    if (group >= this.widths.length) throw this.source.error(`invalid group reference ${group}`, digits)
    return this.reference(group, flags, digits + 1)
  }

  private reference(group: number, flags: number, back: number): RegexNode {
    if (this.widths[group] === undefined) throw this.source.error('cannot refer to an open group', back)
    this.assertOutsideLookbehind(group)
    const fold = flags & IGNORECASE ? (flags & ASCII ? lowerAscii : lower) : undefined
    return { kind: 'backref', group, fold }
  }

  private assertOutsideLookbehind(group: number): void {
    if (this.lookbehindStart === undefined) return
    if (this.widths[group] === undefined) throw this.source.error('cannot refer to an open group')
    if (group >= this.lookbehindStart) {
      throw this.source.error('cannot refer to group defined in the same lookbehind subpattern')
    }
  }
}

const MOST_GROUPS = 1073741823

/** A group's number as `int()` reads it; undefined when it is none. */
export function groupNumber(name: string): number | undefined {
  try {
    const number = intFromText(name)
    return number < 0 ? undefined : Number(number)
  } catch (error) {
    if (error instanceof PyError && error.code === 'ValueError') return undefined
    throw error
  }
}

function count(digits: string): number {
  const number = Number(digits)
  if (number >= UNBOUNDED) throw new PyError('OverflowError', 'the repetition number is too large')
  return number
}

function checkedFlags(flags: number): number {
  if (flags & LOCALE) throw valueError('cannot use LOCALE flag with a str pattern')
  if (!(flags & ASCII)) return flags | UNICODE
  if (flags & UNICODE) throw valueError('ASCII and UNICODE flags are incompatible')
  return flags
}

function assertFixedLookbehinds(node: RegexNode, widths: ReadonlyArray<Width | undefined>): void {
  if (node.kind === 'look' && node.behind) {
    const [min, max] = widthOf(node.body, widths)
    if (min !== max) throw regexError('look-behind requires fixed-width pattern')
  }
  for (const child of childrenOf(node)) assertFixedLookbehinds(child, widths)
}

export function childrenOf(node: RegexNode): readonly RegexNode[] {
  switch (node.kind) {
    case 'sequence':
      return node.items
    case 'branch':
      return node.alternatives
    case 'conditional':
      return node.no === undefined ? [node.yes] : [node.yes, node.no]
    case 'group':
    case 'atomic':
    case 'repeat':
    case 'look':
      return [node.body]
    default:
      return []
  }
}
