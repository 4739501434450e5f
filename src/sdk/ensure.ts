// The skeleton of a state: look at the machine, compare it with the wanted state, predict the changes in a dry run,
// apply them, and report.
import { isFailure } from '../data/mod.ts'
import type { Result } from './description.ts'
import type { StateContext, StateReturn } from './state.ts'

/** The result of a state, without its name. */
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

/** Return the predicted changes of a dry run. */
export const foreseen = (comment: string | string[], changes?: Result): Verdict => new Verdict(null, comment, changes)

/** Return the applied changes. */
export const changed = (comment: string | string[], changes: Result): Verdict => new Verdict(true, comment, changes)

/** Return a failure with its reason, and the changes that were applied before it. */
export const failed = (comment: string | string[], changes?: Result): Verdict => new Verdict(false, comment, changes)

/** The steps of a state. A gap is the difference between the machine and the wanted state. */
export interface Steps<Gap> {
  readonly name: Result
  /** Return the gap, or a verdict if there is nothing to do or the state cannot continue. */
  readonly look: () => Gap | Verdict | Promise<Gap | Verdict>
  /** Return the result of a dry run for the gap. */
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

/** Run a state. An expected error, by default a failed call (`isFailure`), ends it with the message of the error. */
export async function orFailed(
  name: Result,
  run: () => StateReturn | Promise<StateReturn>,
  isExpected: (error: unknown) => boolean = isFailure,
): Promise<StateReturn> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Error && isExpected(error)) return failed(error.message).on(name)
    throw error
  }
}

/** Take the steps of a state, and report. A failed call (`isFailure`) ends the state with the message of the failure. */
export const ensureOrFail = <Gap>(ctx: Pick<StateContext, 'test'>, steps: Steps<Gap>): Promise<StateReturn> =>
  orFailed(steps.name, () => ensure(ctx, steps))
