// The skeleton of a state: look at the machine, compare it with what is wanted, foresee the changes in a dry run, act,
// and report.
import { isFailure } from '../data/mod.ts'
import type { Result } from './description.ts'
import type { StateContext, StateReturn } from './state.ts'

/** How a state ends, without its name. */
export class Verdict {
  readonly result: boolean | null
  readonly comment: string | string[]
  readonly changes: Result

  constructor(result: boolean | null, comment: string | string[], changes: Result = {}) {
    this.result = result
    this.comment = comment
    this.changes = changes
  }

  /** Return the report of the state with a name, in the order of Salt's keys. */
  on(name: Result): StateReturn {
    return { name, changes: this.changes, result: this.result, comment: this.comment }
  }
}

/** Say that the machine is already as wanted. */
export const settled = (comment: string | string[]): Verdict => new Verdict(true, comment)

/** Say what a dry run would change. */
export const foreseen = (comment: string | string[], changes?: Result): Verdict => new Verdict(null, comment, changes)

/** Say what was changed. */
export const changed = (comment: string | string[], changes: Result): Verdict => new Verdict(true, comment, changes)

/** Say why the state failed, and what it had changed until then. */
export const failed = (comment: string | string[], changes?: Result): Verdict => new Verdict(false, comment, changes)

/** The steps of a state. A gap is what differs between the machine and what is wanted. */
export interface Steps<Gap> {
  readonly name: Result
  /** Return the gap, or a verdict when there is nothing to do or nothing can be done. */
  readonly look: () => Gap | Verdict | Promise<Gap | Verdict>
  /** Return what a dry run says of the gap. */
  readonly foresee: (gap: Gap) => string | Verdict | Promise<string | Verdict>
  /** Close the gap. */
  readonly act: (gap: Gap) => Verdict | Promise<Verdict>
}

/** Take the steps of a state, and report. */
export async function ensure<Gap>(ctx: Pick<StateContext, 'test'>, steps: Steps<Gap>): Promise<StateReturn> {
  const { name, look, foresee, act } = steps
  const gap = await look()
  if (gap instanceof Verdict) return gap.on(name)
  if (!ctx.test) return (await act(gap)).on(name)
  const forecast = await foresee(gap)
  return (forecast instanceof Verdict ? forecast : foreseen(forecast)).on(name)
}

/** Run a state. A failed call (`isFailure`) ends it with the message of the failure. */
export async function orFailed(name: Result, run: () => StateReturn | Promise<StateReturn>): Promise<StateReturn> {
  try {
    return await run()
  } catch (error) {
    if (isFailure(error)) return failed(error.message).on(name)
    throw error
  }
}

/** Take the steps of a state, and report. A failed call (`isFailure`) ends the state with the message of the failure. */
export const ensureOrFail = <Gap>(ctx: Pick<StateContext, 'test'>, steps: Steps<Gap>): Promise<StateReturn> =>
  orFailed(steps.name, () => ensure(ctx, steps))
