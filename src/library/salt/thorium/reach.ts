// How states of Thorium have the master do something: it is begun and not waited for, and what goes wrong is logged.
import { toError } from '../../../base/mod.ts'
import { isList, SaltError, str, type Value } from '../../../data/mod.ts'
import { type MasterReach, type StateContext, THORIUM_USER } from '../../../sdk/mod.ts'

export function masterOf(ctx: StateContext): MasterReach {
  if (!ctx.master) throw new SaltError('CommandExecutionError', 'There is no master here')
  return ctx.master
}

export function beginCall(
  ctx: StateContext,
  family: 'runner' | 'wheel',
  call: { fun: string; arg: Value; kwargs: ReadonlyMap<string, Value> },
): void {
  const { fun, arg, kwargs } = call
  const args = isList(arg) ? [...arg] : [arg]
  const told = (problem: string): void => ctx.log('error', `Thorium: ${family} ${fun} failed: ${problem}`)
  masterOf(ctx)
    .call(family, { name: fun, args, kwargs, user: THORIUM_USER })
    .then(
      ({ success, value }) => {
        if (!success) told(str(value))
      },
      (error: unknown) => told(toError(error).message),
    )
}
