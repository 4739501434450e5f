// A backtracking matcher with the rules of Python's own engine, for patterns on which a RegExp would differ: groups
// keep their text between rounds, a round may match the empty text once, an unset group never matches. It has its own
// stack of choices, so long texts cannot overflow the call stack.
import type { Instruction, RegexProgram } from './program.ts'

/** Entries of the stack: a kind and three numbers. */
const CHOICE = 0 // instruction, position
const UNDO = 1 // register, old value
const FEWER = 2 // instruction, lowest position, position
const FURTHER = 3 // instruction, position, count

export interface Demand {
  /** Only a match that ends at the end of the text. */
  full?: boolean
  /** Only a match that is not empty. */
  filled?: boolean
}

export class RegexMatcher {
  private readonly code: readonly Instruction[]
  private readonly text: string
  private readonly demand: Demand
  private readonly stack: number[] = []
  /** Starts and ends of the groups, -1 where unset. */
  readonly registers: number[]
  private start = 0

  constructor(program: RegexProgram, text: string, demand: Demand = {}) {
    this.code = program.code
    this.registers = new Array(program.registers).fill(-1)
    this.text = text
    this.demand = demand
  }

  /** Whether the pattern matches at exactly this place. */
  matchAt(start: number): boolean {
    this.registers.fill(-1)
    this.stack.length = 0
    this.start = start
    const end = this.run(0, start, true)
    if (end < 0) return false
    this.registers[0] = start
    this.registers[1] = end
    return true
  }

  private run(first: number, from: number, top = false): number {
    const base = this.stack.length
    let at = first
    let position = from
    for (;;) {
      const instruction = this.code[at]!
      if (instruction.op === 'done') {
        if (!top || this.accepted(position)) return position
        position = -1
      } else if (instruction.op === 'char') {
        position = this.char(instruction.test, position)
        at++
      } else {
        position = this.step(instruction, at, position)
        at = this.nextAt
      }
      if (position < 0) {
        position = this.backtrack(base)
        if (position < 0) return -1
        at = this.nextAt
      }
    }
  }

  private accepted(end: number): boolean {
    return !(this.demand.full && end !== this.text.length) && !(this.demand.filled && end === this.start)
  }

  /** Position to continue after `step` and `backtrack`. */
  private nextAt = 0

  /** Return the position after the character if it passes the test, else -1. */
  private char(test: (code: number) => boolean, position: number): number {
    const code = this.text.codePointAt(position)
    if (code === undefined || !test(code)) return -1
    return position + (code > 0xffff ? 2 : 1)
  }

  private before(position: number): number {
    const wide = position > 1 && this.text.codePointAt(position - 2)! > 0xffff
    return position - (wide ? 2 : 1)
  }

  private push(kind: number, a: number, b: number, c: number): void {
    this.stack.push(kind, a, b, c)
  }

  private set(register: number, value: number): void {
    this.push(UNDO, register, this.registers[register]!, 0)
    this.registers[register] = value
  }

  /** Does one instruction; gives the new position, or -1 when it does not match. */
  private step(instruction: Exclude<Instruction, { op: 'done' | 'char' }>, at: number, position: number): number {
    this.nextAt = at + 1
    switch (instruction.op) {
      case 'anchor':
        return this.isAt(instruction.anchor, position) ? position : -1
      case 'boundary':
        return this.isBoundary(instruction.word, position, instruction.negated) ? position : -1
      case 'jump':
        this.nextAt = instruction.to
        return position
      case 'split':
        for (let i = instruction.to.length - 1; i > 0; i--) this.push(CHOICE, instruction.to[i]!, position, 0)
        this.nextAt = instruction.to[0]!
        return position
      case 'mark':
        this.set(instruction.register, position)
        return position
      case 'run':
        return this.runOf(instruction, at, position)
      case 'enter':
        this.set(instruction.counter, 0)
        this.set(instruction.counter + 1, -1)
        return position
      case 'again':
        return this.again(instruction, at, position)
      case 'more':
        return this.more(instruction, position)
      case 'rounds':
        this.nextAt = instruction.next
        return this.rounds(instruction, at + 1, position)
      case 'atomic':
        return this.thenGoTo(instruction.next, this.apart(at + 1, position))
      case 'look':
        return this.look(instruction, at + 1, position)
      case 'backref':
        return this.backref(instruction.group, instruction.fold, position)
      case 'conditional':
        if (!this.isSet(instruction.group)) this.nextAt = instruction.no
        return position
    }
  }

  private thenGoTo(next: number, position: number): number {
    this.nextAt = next
    return position
  }

  /** Undo everything since the last choice above `base` and take its next alternative; return -1 if there is none. */
  private backtrack(base: number): number {
    const { stack } = this
    while (stack.length > base) {
      const c = stack.pop()!
      const b = stack.pop()!
      const a = stack.pop()!
      const kind = stack.pop()!
      if (kind === UNDO) {
        this.registers[a] = b
        continue
      }
      this.nextAt = a
      if (kind === CHOICE) return b
      const position = kind === FEWER ? this.fewer(a, b, c) : this.further(a, b, c)
      if (position >= 0) return position
    }
    return -1
  }

  private fewer(next: number, lowest: number, position: number): number {
    const shorter = this.before(position)
    if (shorter > lowest) this.push(FEWER, next, lowest, shorter)
    return shorter
  }

  private further(at: number, position: number, count: number): number {
    const run = this.code[at] as Extract<Instruction, { op: 'run' }>
    const longer = this.char(run.test, position)
    if (longer < 0) return -1
    if (count + 1 < run.max) this.push(FURTHER, at, longer, count + 1)
    this.nextAt = at + 1
    return longer
  }

  private runOf(run: Extract<Instruction, { op: 'run' }>, at: number, from: number): number {
    const most = run.mode === 'lazy' ? run.min : run.max
    let position = from
    let lowest = run.min === 0 ? from : -1
    let count = 0
    while (count < most) {
      const next = this.char(run.test, position)
      if (next < 0) break
      position = next
      if (++count === run.min) lowest = position
    }
    if (count < run.min) return -1
    if (run.mode === 'greedy' && position > lowest) this.push(FEWER, at + 1, lowest, position)
    if (run.mode === 'lazy' && run.max > run.min) this.push(FURTHER, at, position, count)
    return position
  }

  private again(loop: Extract<Instruction, { op: 'again' }>, at: number, position: number): number {
    const count = this.registers[loop.counter]!
    // a lazy body begins with `more`, which is for rounds beyond the least number
    const body = loop.lazy ? loop.body + 1 : loop.body
    if (count < loop.min) {
      this.set(loop.counter, count + 1)
      this.nextAt = body
    } else if (loop.lazy) this.push(CHOICE, loop.body, position, 0)
    else if (count < loop.max && position !== this.registers[loop.counter + 1]) {
      this.push(CHOICE, at + 1, position, 0)
      this.set(loop.counter, count + 1)
      this.set(loop.counter + 1, position)
      this.nextAt = body
    }
    return position
  }

  private more(loop: Extract<Instruction, { op: 'more' }>, position: number): number {
    const count = this.registers[loop.counter]!
    if (count >= loop.max || position === this.registers[loop.counter + 1]) return -1
    this.set(loop.counter, count + 1)
    this.set(loop.counter + 1, position)
    return position
  }

  private rounds(loop: Extract<Instruction, { op: 'rounds' }>, body: number, from: number): number {
    let position = from
    let last = -1
    for (let count = 0; count < loop.max && (count < loop.min || position !== last); count++) {
      if (count >= loop.min) last = position
      const end = this.apart(body, position)
      if (end < 0) {
        if (count < loop.min) return -1
        break
      }
      position = end
    }
    this.nextAt = loop.next
    return position
  }

  /** Matches a part on its own: once it has matched, it does not try another way. */
  private apart(body: number, position: number): number {
    const base = this.stack.length
    const end = this.run(body, position)
    this.dropChoices(base)
    return end
  }

  private dropChoices(base: number): void {
    const { stack } = this
    let kept = base
    for (let i = base; i < stack.length; i += 4) {
      if (stack[i] !== UNDO) continue
      for (let j = 0; j < 4; j++) stack[kept + j] = stack[i + j]!
      kept += 4
    }
    stack.length = kept
  }

  private look(look: Extract<Instruction, { op: 'look' }>, body: number, position: number): number {
    let from = position
    for (let i = 0; i < look.back && from >= 0; i++) from = from === 0 ? -1 : this.before(from)
    const base = this.stack.length
    const matched = from >= 0 && this.apart(body, from) >= 0
    this.nextAt = look.next
    if (!look.negated) return matched ? position : -1
    if (!matched) return position
    this.backtrack(base) // only registers are left to undo
    return -1
  }

  private isSet(group: number): boolean {
    const start = this.registers[2 * group]!
    return start >= 0 && this.registers[2 * group + 1]! >= start
  }

  private backref(group: number, fold: ((code: number) => number) | undefined, position: number): number {
    if (!this.isSet(group)) return -1
    const wanted = this.text.slice(this.registers[2 * group]!, this.registers[2 * group + 1]!)
    if (fold === undefined) return this.text.startsWith(wanted, position) ? position + wanted.length : -1
    let end = position
    for (const char of wanted) {
      const code = fold(char.codePointAt(0)!)
      end = this.char((other) => fold(other) === code, end)
      if (end < 0) return -1
    }
    return end
  }

  private isAt(anchor: Extract<Instruction, { op: 'anchor' }>['anchor'], position: number): boolean {
    const { text } = this
    switch (anchor) {
      case 'text-start':
        return position === 0
      case 'text-end':
        return position === text.length
      case 'line-start':
        return position === 0 || text[position - 1] === '\n'
      case 'line-end':
        return position === text.length || text[position] === '\n'
      case 'last-line-end':
        return position === text.length || (position === text.length - 1 && text[position] === '\n')
    }
  }

  private isBoundary(word: (code: number) => boolean, position: number, negated: boolean): boolean {
    const { text } = this
    if (text.length === 0) return false
    const before = position > 0 && word(text.codePointAt(this.before(position))!)
    const after = position < text.length && word(text.codePointAt(position)!)
    return (before !== after) !== negated
  }
}
