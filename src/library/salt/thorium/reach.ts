// Calls of the master from states of Thorium: they are started without waiting, and failures are logged.
import { toError } from '../../../base/mod.ts'
import { failure, isList, str, type Value } from '../../../data/mod.ts'
import { type MasterReach, type StateContext, THORIUM_USER } from '../../../sdk/mod.ts'

export function masterOf(ctx: StateContext): MasterReach {
  if (!ctx.master) throw failure('There is no master here')
  return ctx.master
}

export function beginCall(
  ctx: StateContext,
  family: 'runner' | 'wheel',
  call: { fun: string; arg: Value; kwargs: ReadonlyMap<string, Value> },
): void {
  const { fun, arg, kwargs } = call
  const args = isList(arg) ? [...arg] : [arg]
  const logFailure = (problem: string): void => ctx.log('error', `Thorium: ${family} ${fun} failed: ${problem}`)
  masterOf(ctx)
    .call(family, { name: fun, args, kwargs, user: THORIUM_USER })
    .then(
      ({ success, value }) => {
        if (!success) logFailure(str(value))
      },
      (error: unknown) => logFailure(toError(error).message),
    )
}
