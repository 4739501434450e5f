// Enabling and disabling services at boot, as states and as a part of the states that start and stop services. `started` is
// the known state of the service: running, dead, or as wanted (null).
import { type Dict, equals, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { complaint, exists, type Kwargs, notAvailable, type Provider } from './provider.ts'

type Started = boolean | null

/** Result and comment that replace those of the report; the report keeps its changes when none are given. */
export interface BootReport {
  result: boolean | null
  comment: string
  changes?: Dict
}

export interface BootRequest {
  name: string
  started: Started
  result?: boolean
  kwargs: Kwargs
}

const pick = (started: Started, running: string, fine: string, dead: string): string =>
  started === true ? running : started === null ? fine : dead

const andIs = (started: Started): string =>
  pick(started, 'and is running', 'and is in the desired state', 'and is dead')

const cannot = (verb: string, { name, started }: BootRequest): string => {
  const how = pick(started, 'started', 'is in the desired state', 'is dead')
  return `${verb} is not available on this minion, service ${name} ${how}`
}

/** Return the report for a service that does not exist or cannot be checked. */
async function unavailable(service: Provider, name: string, result: boolean): Promise<BootReport | undefined> {
  try {
    return (await exists(service, name)) ? undefined : { result, comment: notAvailable(name) }
  } catch (error) {
    return { result: false, comment: complaint(error) }
  }
}

/** Return the changes if the service was really switched. */
const toggled = (name: string, before: Value, after: Value): Dict =>
  equals(before, after) ? new Map() : new Map([[name, true]])

const settled = (name: string, what: string, started: Started, result: boolean): BootReport => ({
  result,
  comment: `Service ${name} is already ${what}, ${andIs(started)}`,
  ...(started === null && { changes: new Map() }),
})

export async function enableAtBoot(ctx: StateContext, service: Provider, request: BootRequest): Promise<BootReport> {
  const { name, started, result = true, kwargs } = request
  const missing = await unavailable(service, name, false)
  if (missing) return missing
  if (!service.has('enable', 'enabled')) return { result, comment: cannot('Enable', request) }
  const before = await service.call('enabled', [name], kwargs)
  if (truthy(before)) return settled(name, 'enabled', started, result)
  if (ctx.test) return { result: null, comment: `Service ${name} set to be enabled` }
  let problem = ''
  try {
    if (truthy(await service.call('enable', [name], kwargs))) {
      const changes = toggled(name, before, await service.call('enabled', [name], kwargs))
      return { result, comment: `Service ${name} has been enabled, ${andIs(started)}`, changes }
    }
  } catch (error) {
    problem = complaint(error)
  }
  const but = pick(
    started,
    'but the service is running',
    'but the service was already running',
    'and the service is dead',
  )
  const further = problem === '' ? '' : `. Additional information follows:\n\n${problem}`
  return { result: false, comment: `Failed when setting service ${name} to start at boot, ${but}${further}` }
}

export async function disableAtBoot(ctx: StateContext, service: Provider, request: BootRequest): Promise<BootReport> {
  const { name, started, result = true, kwargs } = request
  const missing = await unavailable(service, name, true)
  if (missing) return missing
  if (!service.has('disable', 'disabled')) return { result, comment: cannot('Disable', request) }
  const before =
    ctx.grains.get('kernel') === 'Windows'
      ? ((await service.call('info', [name])) as Dict).get('StartType') === 'Disabled'
      : await service.call('disabled', [name])
  if (truthy(before)) return settled(name, 'disabled', started, result)
  if (ctx.test) return { result: null, comment: `Service ${name} set to be disabled` }
  if (truthy(await service.call('disable', [name], kwargs))) {
    const changes = toggled(name, before, await service.call('disabled', [name]))
    return { result, comment: `Service ${name} has been disabled, ${andIs(started)}`, changes }
  }
  const but = pick(started, 'and is running', 'but the service was already running', 'and the service is dead')
  return { result: false, comment: `Failed when setting service ${name} to not start at boot, ${but}` }
}
