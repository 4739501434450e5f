// Translates a pattern's tree to the source of a RegExp (flag `v`) with the same matches and captures. If the languages
// differ in captures or in the order of tries, there is no source, and Brine's own matcher is used: JavaScript resets
// the groups of a repeated part in each round, treats an unset group as an empty text, refuses empty rounds, and has
// neither conditionals nor possessive parts.
import { type Anchor, type Pattern, type RegexNode, UNBOUNDED } from './ast.ts'
import { setSource, wordSet } from './char-set.ts'
import { childrenOf } from './parser.ts'
import { type Width, widthOf } from './width.ts'

/** The source, or undefined when a RegExp could give another answer. */
export function translatePattern(pattern: Pattern): string | undefined {
  if (new Comparison().sameAnswers(pattern.root)) return sourceOf(pattern.root)
  return undefined
}

class Comparison {
  private readonly widths: Array<Width | undefined> = []

  sameAnswers(root: RegexNode): boolean {
    return this.surelySet(root, new Set()) !== undefined
  }

  /**
   * Return the groups that are set after the node has matched, given those set before; undefined if results may differ.
   */
  private surelySet(node: RegexNode, before: ReadonlySet<number>): ReadonlySet<number> | undefined {
    switch (node.kind) {
      case 'set':
      case 'anchor':
      case 'boundary':
        return before
      case 'sequence':
        return this.afterAll(node.items, before)
      case 'branch':
        return this.afterEither(node.alternatives, before)
      case 'group':
        return this.afterGroup(node.number, node.body, before)
      case 'repeat':
        return this.afterRepeat(node, before)
      case 'look': {
        if (node.behind && groupsIn(node.body).length > 0) return undefined
        const after = this.surelySet(node.body, before)
        return node.negated && after !== undefined ? before : after
      }
      case 'backref':
        return node.fold === undefined && before.has(node.group) ? before : undefined
      case 'atomic':
      case 'conditional':
        return undefined
    }
  }

  private afterAll(items: readonly RegexNode[], before: ReadonlySet<number>): ReadonlySet<number> | undefined {
    let after: ReadonlySet<number> | undefined = before
    for (const item of items) {
      after = this.surelySet(item, after)
      if (after === undefined) return undefined
    }
    return after
  }

  private afterEither(items: readonly RegexNode[], before: ReadonlySet<number>): ReadonlySet<number> | undefined {
    let common: number[] | undefined
    for (const item of items) {
      const after = this.surelySet(item, before)
      if (after === undefined) return undefined
      common = common === undefined ? [...after] : common.filter((group) => after.has(group))
    }
    return new Set(common)
  }

  private afterGroup(
    number: number | undefined,
    body: RegexNode,
    before: ReadonlySet<number>,
  ): ReadonlySet<number> | undefined {
    const after = this.surelySet(body, before)
    if (number === undefined || after === undefined) return after
    this.widths[number] = widthOf(body, this.widths)
    return new Set(after).add(number)
  }

  private afterRepeat(
    node: Extract<RegexNode, { kind: 'repeat' }>,
    before: ReadonlySet<number>,
  ): ReadonlySet<number> | undefined {
    if (node.mode === 'possessive') return undefined
    const own = groupsIn(node.body)
    const carried = new Set([...before].filter((group) => !own.includes(group)))
    const after = this.surelySet(node.body, carried)
    if (after === undefined || widthOf(node.body, this.widths)[0] === 0) return undefined
    if (node.max > 1 && !own.every((group) => after.has(group))) return undefined
    return node.min > 0 ? after : before
  }
}

function groupsIn(node: RegexNode): number[] {
  const inner = childrenOf(node).flatMap(groupsIn)
  return node.kind === 'group' && node.number !== undefined ? [node.number, ...inner] : inner
}

const ANCHORS: Record<Anchor, string> = {
  'text-start': '^',
  'text-end': '$',
  'line-start': '(?<![^\\n])',
  'line-end': '(?![^\\n])',
  'last-line-end': '(?=\\n?$)',
}

function sourceOf(node: RegexNode): string {
  switch (node.kind) {
    case 'set':
      return setSource(node.set)
    case 'anchor':
      return ANCHORS[node.anchor]
    case 'boundary':
      return boundarySource(node.negated, node.ascii)
    case 'sequence':
      return node.items.map(sourceOf).join('')
    case 'branch':
      return `(?:${node.alternatives.map(sourceOf).join('|')})`
    case 'group':
      return `(${node.number === undefined ? '?:' : ''}${sourceOf(node.body)})`
    case 'look':
      return `(?${node.behind ? '<' : ''}${node.negated ? '!' : '='}${sourceOf(node.body)})`
    case 'repeat':
      return `(?:${sourceOf(node.body)})${countSource(node.min, node.max)}${node.mode === 'lazy' ? '?' : ''}`
    case 'backref':
      return `(?:\\${node.group})`
    case 'atomic':
    case 'conditional':
      throw new Error(`a part of the kind ${node.kind} has no counterpart`)
  }
}

function countSource(min: number, max: number): string {
  if (max === 1 && min === 0) return '?'
  if (max === UNBOUNDED) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  return `{${min},${max}}`
}

/** An empty text has neither kind of boundary. */
function boundarySource(negated: boolean, ascii: boolean): string {
  if (ascii) return negated ? '(?!^$)\\B' : '\\b'
  const word = setSource(wordSet(false))
  if (negated) return `(?!^$)(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`
  return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
}
