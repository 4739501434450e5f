// Compiles a pattern's tree to instructions for the matcher. Registers hold the starts and ends of groups (two each,
// the whole match first), then a round counter and the last round's start for each repeat of more than one set.
import { type Anchor, type Pattern, type RegexNode, UNBOUNDED } from './ast.ts'
import { setTest, wordSet } from './char-set.ts'
import { type Width, widthOf } from './width.ts'

type Test = (code: number) => boolean

export type Instruction =
  | { op: 'char'; test: Test }
  | { op: 'anchor'; anchor: Anchor }
  | { op: 'boundary'; negated: boolean; word: Test }
  | { op: 'jump'; to: number }
  /** Tries each place in turn. */
  | { op: 'split'; to: number[] }
  | { op: 'mark'; register: number }
  /** A repeat of one set: as many as fit and then fewer, or as few as fit and then more. */
  | { op: 'run'; test: Test; min: number; max: number; mode: Mode }
  /** Begins a repeat of anything else; `again` decides after each round. */
  | { op: 'enter'; counter: number }
  | { op: 'again'; counter: number; min: number; max: number; lazy: boolean; body: number }
  /** The next round of a lazy repeat, after the rest failed. */
  | { op: 'more'; counter: number; max: number }
  /** A possessive repeat; each round is matched on its own. */
  | { op: 'rounds'; min: number; max: number; next: number }
  | { op: 'atomic'; next: number }
  | { op: 'look'; back: number; negated: boolean; next: number }
  | { op: 'backref'; group: number; fold: ((code: number) => number) | undefined }
  | { op: 'conditional'; group: number; no: number }
  /** The end of the pattern, or of a part that is matched on its own. */
  | { op: 'done' }

type Mode = Extract<RegexNode, { kind: 'repeat' }>['mode']

export interface RegexProgram {
  code: Instruction[]
  registers: number
}

export function assemble(pattern: Pattern): RegexProgram {
  return new Assembler(pattern.groups).assemble(pattern.root)
}

class Assembler {
  private readonly code: Instruction[] = []
  private readonly widths: Array<Width | undefined> = []
  private registers: number

  constructor(groups: number) {
    this.registers = 2 * (groups + 1)
  }

  assemble(root: RegexNode): RegexProgram {
    this.emit(root)
    this.code.push({ op: 'done' })
    return { code: this.code, registers: this.registers }
  }

  private emit(node: RegexNode): void {
    switch (node.kind) {
      case 'set':
        this.code.push({ op: 'char', test: setTest(node.set) })
        break
      case 'anchor':
        this.code.push({ op: 'anchor', anchor: node.anchor })
        break
      case 'boundary':
        this.code.push({ op: 'boundary', negated: node.negated, word: setTest(wordSet(node.ascii)) })
        break
      case 'sequence':
        for (const item of node.items) this.emit(item)
        break
      case 'branch':
        this.branch(node.alternatives)
        break
      case 'group':
        this.group(node.number, node.body)
        break
      case 'repeat':
        this.repeat(node)
        break
      case 'atomic':
        this.apart({ op: 'atomic', next: 0 }, node.body)
        break
      case 'look': {
        const back = node.behind ? widthOf(node.body, this.widths)[0] : 0
        this.apart({ op: 'look', back, negated: node.negated, next: 0 }, node.body)
        break
      }
      case 'backref':
        this.code.push({ op: 'backref', group: node.group, fold: node.fold })
        break
      case 'conditional':
        this.conditional(node.group, node.yes, node.no)
    }
  }

  private branch(alternatives: readonly RegexNode[]): void {
    const split = { op: 'split' as const, to: [] as number[] }
    this.code.push(split)
    const jumps = alternatives.map((alternative) => {
      split.to.push(this.code.length)
      this.emit(alternative)
      return this.jump()
    })
    for (const jump of jumps) jump.to = this.code.length
  }

  private jump(): { op: 'jump'; to: number } {
    const jump = { op: 'jump' as const, to: 0 }
    this.code.push(jump)
    return jump
  }

  private group(number: number | undefined, body: RegexNode): void {
    if (number === undefined) {
      this.emit(body)
      return
    }
    this.code.push({ op: 'mark', register: 2 * number })
    this.emit(body)
    this.code.push({ op: 'mark', register: 2 * number + 1 })
    this.widths[number] = widthOf(body, this.widths)
  }

  private repeat(node: Extract<RegexNode, { kind: 'repeat' }>): void {
    const { min, max, mode } = node
    const bound = max === UNBOUNDED ? Number.POSITIVE_INFINITY : max
    const single = onlySet(node.body)
    if (single !== undefined) {
      this.code.push({ op: 'run', test: setTest(single), min, max: bound, mode })
      return
    }
    if (mode === 'possessive') {
      this.apart({ op: 'rounds', min, max: bound, next: 0 }, node.body)
      return
    }
    const counter = this.registers
    this.registers += 2
    this.code.push({ op: 'enter', counter })
    const start = this.jump()
    const body = this.code.length
    if (mode === 'lazy') this.code.push({ op: 'more', counter, max: bound })
    this.emit(node.body)
    start.to = this.code.length
    this.code.push({ op: 'again', counter, min, max: bound, lazy: mode === 'lazy', body })
  }

  /** Emit an instruction whose body, which follows it, is matched separately. */
  private apart(instruction: Extract<Instruction, { next: number }>, body: RegexNode): void {
    this.code.push(instruction)
    this.emit(body)
    this.code.push({ op: 'done' })
    instruction.next = this.code.length
  }

  private conditional(group: number, yes: RegexNode, no: RegexNode | undefined): void {
    const test = { op: 'conditional' as const, group, no: 0 }
    this.code.push(test)
    this.emit(yes)
    const jump = this.jump()
    test.no = this.code.length
    if (no !== undefined) this.emit(no)
    jump.to = this.code.length
  }
}

/** The set that a node consists of, if it is nothing else. */
function onlySet(node: RegexNode): Extract<RegexNode, { kind: 'set' }>['set'] | undefined {
  if (node.kind === 'set') return node.set
  return node.kind === 'group' && node.number === undefined ? onlySet(node.body) : undefined
}
