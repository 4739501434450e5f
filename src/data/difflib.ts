// Differences of texts, computed and printed like Python's difflib, to the line: users compare them, and states show
// them. From 200 lines on, lines that make up more than a hundredth of the text are not used as anchors.

interface Block {
  a: number
  b: number
  size: number
}

type Tag = 'equal' | 'replace' | 'delete' | 'insert'

/** An edit from `a[aFrom..aTo]` to `b[bFrom..bTo]`. */
interface Opcode {
  tag: Tag
  aFrom: number
  aTo: number
  bFrom: number
  bTo: number
}

const POPULAR_FROM = 200

/** Return the positions of each line in `b`, without popular lines. */
function positionsIn(b: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>()
  for (const [at, line] of b.entries()) {
    const seen = positions.get(line)
    if (seen) seen.push(at)
    else positions.set(line, [at])
  }
  if (b.length >= POPULAR_FROM) {
    const most = Math.floor(b.length / 100) + 1
    for (const [line, places] of positions) if (places.length > most) positions.delete(line)
  }
  return positions
}

interface Range {
  aFrom: number
  aTo: number
  bFrom: number
  bTo: number
}

class Comparison {
  private readonly a: readonly string[]
  private readonly b: readonly string[]
  private readonly positions: ReadonlyMap<string, readonly number[]>

  constructor(a: readonly string[], b: readonly string[]) {
    this.a = a
    this.b = b
    this.positions = positionsIn(b)
  }

  /** Return the longest run of equal lines; of equally long ones, the first in `a`, then the first in `b`. */
  private longest({ aFrom, aTo, bFrom, bTo }: Range): Block {
    const best: Block = { a: aFrom, b: bFrom, size: 0 }
    let lengths = new Map<number, number>()
    for (let i = aFrom; i < aTo; i++) {
      const next = new Map<number, number>()
      for (const j of this.positions.get(this.a[i]!) ?? []) {
        if (j < bFrom) continue
        if (j >= bTo) break
        const size = (lengths.get(j - 1) ?? 0) + 1
        next.set(j, size)
        if (size > best.size) Object.assign(best, { a: i - size + 1, b: j - size + 1, size })
      }
      lengths = next
    }
    return this.widened(best, { aFrom, aTo, bFrom, bTo })
  }

  /** Extend a run by popular lines: they are no anchors, but may continue a run. */
  private widened(block: Block, { aFrom, aTo, bFrom, bTo }: Range): Block {
    let { a, b, size } = block
    while (a > aFrom && b > bFrom && this.a[a - 1] === this.b[b - 1]) {
      a--
      b--
      size++
    }
    while (a + size < aTo && b + size < bTo && this.a[a + size] === this.b[b + size]) size++
    return { a, b, size }
  }

  /** Return runs of equal lines in order, with adjacent ones joined, and an empty one at the end. */
  blocks(): Block[] {
    const found: Block[] = []
    const open: Range[] = [{ aFrom: 0, aTo: this.a.length, bFrom: 0, bTo: this.b.length }]
    for (let range = open.pop(); range !== undefined; range = open.pop()) {
      const block = this.longest(range)
      if (block.size === 0) continue
      found.push(block)
      const [aEnd, bEnd] = [block.a + block.size, block.b + block.size]
      if (range.aFrom < block.a && range.bFrom < block.b) open.push({ ...range, aTo: block.a, bTo: block.b })
      if (aEnd < range.aTo && bEnd < range.bTo) open.push({ ...range, aFrom: aEnd, bFrom: bEnd })
    }
    found.sort((x, y) => x.a - y.a || x.b - y.b)
    const joined: Block[] = []
    for (const block of found) {
      const last = joined.at(-1)
      if (last && last.a + last.size === block.a && last.b + last.size === block.b) last.size += block.size
      else joined.push(block)
    }
    return [...joined, { a: this.a.length, b: this.b.length, size: 0 }]
  }
}

function diffOpcodes(a: readonly string[], b: readonly string[]): Opcode[] {
  const codes: Opcode[] = []
  let [i, j] = [0, 0]
  for (const block of new Comparison(a, b).blocks()) {
    if (i < block.a || j < block.b) {
      const tag = i === block.a ? 'insert' : j === block.b ? 'delete' : 'replace'
      codes.push({ tag, aFrom: i, aTo: block.a, bFrom: j, bTo: block.b })
    }
    ;[i, j] = [block.a + block.size, block.b + block.size]
    if (block.size > 0) codes.push({ tag: 'equal', aFrom: block.a, aTo: i, bFrom: block.b, bTo: j })
  }
  return codes
}

/** Return changes with up to `context` equal lines around them, split where more than twice as many are between. */
function groups(codes: readonly Opcode[], context: number): Opcode[][] {
  if (codes.length === 0 || (codes.length === 1 && codes[0]!.tag === 'equal')) return []
  const all = codes.map((code) => ({ ...code }))
  const [first, last] = [all[0]!, all.at(-1)!]
  if (first.tag === 'equal') Object.assign(first, tail(first, context))
  if (last.tag === 'equal') Object.assign(last, head(last, context))
  const result: Opcode[][] = []
  let group: Opcode[] = []
  for (const code of all) {
    if (code.tag === 'equal' && code.aTo - code.aFrom > 2 * context) {
      result.push([...group, head(code, context)])
      group = [tail(code, context)]
    } else {
      group.push(code)
    }
  }
  if (!(group.length === 1 && group[0]!.tag === 'equal')) result.push(group)
  return result
}

const head = (code: Opcode, count: number): Opcode => ({
  ...code,
  aTo: Math.min(code.aTo, code.aFrom + count),
  bTo: Math.min(code.bTo, code.bFrom + count),
})

const tail = (code: Opcode, count: number): Opcode => ({
  ...code,
  aFrom: Math.max(code.aFrom, code.aTo - count),
  bFrom: Math.max(code.bFrom, code.bTo - count),
})

/** A range as the header of a hunk counts it. */
function rangeText(from: number, to: number): string {
  const length = to - from
  if (length === 1) return String(from + 1)
  return `${length === 0 ? from : from + 1},${length}`
}

export interface DiffOptions {
  from?: string
  to?: string
  /** Equal lines around changes. */
  context?: number
  lineEnd?: string
}

/** `difflib.unified_diff`: nothing when both are equal. */
export function unifiedDiff(a: readonly string[], b: readonly string[], options: DiffOptions = {}): string[] {
  const { from = '', to = '', context = 3, lineEnd = '\n' } = options
  const lines: string[] = []
  for (const group of groups(diffOpcodes(a, b), context)) {
    if (lines.length === 0) lines.push(`--- ${from}${lineEnd}`, `+++ ${to}${lineEnd}`)
    const [first, last] = [group[0]!, group.at(-1)!]
    lines.push(`@@ -${rangeText(first.aFrom, last.aTo)} +${rangeText(first.bFrom, last.bTo)} @@${lineEnd}`)
    for (const { tag, aFrom, aTo, bFrom, bTo } of group) {
      if (tag === 'equal') {
        for (const line of a.slice(aFrom, aTo)) lines.push(` ${line}`)
        continue
      }
      for (const line of a.slice(aFrom, aTo)) lines.push(`-${line}`)
      for (const line of b.slice(bFrom, bTo)) lines.push(`+${line}`)
    }
  }
  return lines
}
