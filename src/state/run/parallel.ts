// `parallel: true`: states that run beside others. Each is reported as started at once, and its report is completed when
// it ends; at most `state_max_parallel` run at a time.
import { option } from '../../config/mod.ts'
import { type Dict, dictUpdate, numberOf, truthy, type Value } from '../../data/mod.ts'
import { resultDict, type StateRet } from './surroundings.ts'

interface ParallelState {
  run: () => Promise<StateRet>
  /** Set when it has been started. */
  ended?: Promise<void>
  ret?: StateRet
}

export class ParallelStates {
  private readonly states = new Map<string, ParallelState>()
  private readonly most: number

  constructor(opts: Dict) {
    const most = option(opts, 'state_max_parallel')
    this.most = truthy(most) ? (numberOf(most) ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
  }

  /** The report of a state that has begun or waits for its turn. */
  begin(tag: string, name: Value, run: () => Promise<StateRet>): StateRet {
    const state: ParallelState = { run }
    this.states.set(tag, state)
    const mayStart = this.mayStart()
    if (mayStart) start(state)
    return resultDict([
      ['name', name],
      ['result', null],
      ['changes', new Map()],
      [
        'comment',
        mayStart ? 'Started in a separate process' : 'Waiting to be started in a separate process, max_parallel hit',
      ],
    ])
  }

  /** Whether no state runs or waits beside others. */
  get isIdle(): boolean {
    return this.states.size === 0
  }

  /** Whether a state runs or waits beside others. */
  has(tag: string): boolean {
    return this.states.has(tag)
  }

  private mayStart(): boolean {
    let count = 0
    for (const { ended, ret } of this.states.values()) if (ended && !ret) count++
    return count < this.most
  }

  /** Complete the reports of ended states, and start waiting ones. Return true if none of these is left. */
  reconcile(running: Dict): boolean {
    let isDone = true
    for (const [tag, state] of this.states) {
      const report = running.get(tag)
      if (!(report instanceof Map)) continue
      if (!state.ended) {
        if (this.mayStart()) {
          start(state)
          report.set('comment', 'Started in a separate process')
        }
        isDone = false
      } else if (state.ret) {
        dictUpdate(report, state.ret)
        this.states.delete(tag)
      } else isDone = false
    }
    return isDone
  }

  /** Waits for the states among these that have not ended. */
  async settle(running: Dict): Promise<void> {
    while (this.states.size > 0 && !this.reconcile(running)) await this.next()
  }

  /** Wait until one of the running states ends. */
  async next(): Promise<void> {
    const active = [...this.states.values()].flatMap(({ ended, ret }) => (ended && !ret ? [ended] : []))
    if (active.length > 0) await Promise.race(active)
  }
}

function start(state: ParallelState): void {
  state.ended = state.run().then((ret) => {
    state.ret = ret
  })
}
