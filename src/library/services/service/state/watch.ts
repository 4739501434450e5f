// Reactions of a service to a change of a watched state.
import { isNumeric, numberOf, str, truthy, type Value } from '../../../../data/mod.ts'
import { pause, reportOn, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { complaint, type Kwargs, type Provider, providerOf } from './provider.ts'

export interface Watch {
  name: string
  sfun: string | null
  sig: string | null
  reload: boolean
  full_restart: boolean
  init_delay: Value
  force: boolean
  kwargs: Kwargs
}

interface Reaction {
  fun: string
  verb: string
  done: string
}

const reaction = (fun: string, verb: string, done = `${verb}ed`): Reaction => ({ fun, verb, done })

function whenRunning(service: Provider, { reload, full_restart, force }: Watch): Reaction {
  if (service.has('reload') && reload) {
    if (service.has('force_reload') && force) return reaction('force_reload', 'forcefully reload')
    return reaction('reload', 'reload')
  }
  if (service.has('full_restart') && full_restart) return reaction('full_restart', 'fully restart')
  return reaction('restart', 'restart')
}

export async function watched(ctx: StateContext, watch: Watch): Promise<StateReturn> {
  const { name, sfun, sig, init_delay, kwargs } = watch
  const service = await providerOf(ctx)
  const ret = reportOn(name)
  if (sfun !== 'dead' && sfun !== 'running') return ret(false, `Unable to trigger watch for service.${str(sfun)}`)
  const isRunning = truthy(await service.call('status', [name, sig]))
  if (sfun === 'dead' && !isRunning) return ret(true, 'Service is already stopped')
  const { fun, verb, done } =
    sfun === 'dead'
      ? reaction('stop', 'stop', 'stopped')
      : isRunning
        ? whenRunning(service, watch)
        : reaction('start', 'start')
  if (ctx.test) return ret(null, `Service is set to be ${done}`)
  // stop first, to clean up after a service that died
  if (verb === 'start' && service.has('stop')) await service.call('stop', [name])
  const { options, warnings } = await service.systemdOptions(fun, kwargs)
  const warned = warnings.length > 0 ? { warnings } : {}
  let result: boolean
  try {
    result = truthy(await service.call(fun, [name], options))
  } catch (error) {
    return { ...ret(false, complaint(error)), ...warned }
  }
  if (isNumeric(init_delay) && truthy(init_delay)) await pause(ctx, numberOf(init_delay)!)
  return { ...ret(result, result ? `Service ${done}` : `Failed to ${verb} the service`, { [name]: result }), ...warned }
}
