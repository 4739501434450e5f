// States that start or stop a service, and optionally enable or disable it.
import { type Dict, equals, isNumeric, numberOf, str, truthy, type Value } from '../../../../data/mod.ts'
import { isTrue, pause, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { type BootReport, disableAtBoot, enableAtBoot } from './boot.ts'
import { unmasked } from './masking.ts'
import { complaint, exists, type Kwargs, notAvailable, type Provider, providerOf } from './provider.ts'

export interface Request {
  name: string
  enable: Value
  sig: string | null
  init_delay: Value
  kwargs: Kwargs
}

/** The report of a state while it is built. */
class Report {
  result: boolean | null = true
  comment = ''
  changes: Dict = new Map()
  warnings: string[] = []
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  set(result: boolean | null, comment: string): this {
    this.result = result
    this.comment = comment
    return this
  }

  take({ result, comment, changes }: BootReport): void {
    this.set(result, comment)
    if (changes !== undefined) this.changes = changes
  }

  warn(warnings: readonly string[]): void {
    for (const warning of warnings) if (!this.warnings.includes(warning)) this.warnings.push(warning)
  }

  get state(): StateReturn {
    const { name, changes, result, comment, warnings } = this
    return { name, changes, result, comment, ...(warnings.length > 0 && { warnings }) }
  }
}

interface Wording {
  sfun: 'running' | 'dead'
  /** Whether the service runs afterwards. */
  wanted: boolean
  wouldBe: string
  already: string
  foreseen: string
  done: string
  failed: string
  fun: 'start' | 'stop'
}

const RUNNING: Wording = {
  sfun: 'running',
  wanted: true,
  wouldBe: 'started',
  already: 'already running',
  foreseen: 'is set to start',
  done: 'Started service %s',
  failed: 'failed to start',
  fun: 'start',
}

const DEAD: Wording = {
  sfun: 'dead',
  wanted: false,
  wouldBe: 'stopped',
  already: 'already dead',
  foreseen: 'is set to be killed',
  done: 'Service %s was killed',
  failed: 'failed to die',
  fun: 'stop',
}

const ENABLE_IT = 'Set enable to True to successfully start the service.'

const SWITCH = new Map<Value, typeof enableAtBoot>([
  [true, enableAtBoot],
  [false, disableAtBoot],
])

export const running = (ctx: StateContext, request: Request): Promise<StateReturn> =>
  ensureActivity(ctx, request, RUNNING)
export const dead = (ctx: StateContext, request: Request): Promise<StateReturn> => ensureActivity(ctx, request, DEAD)

const lines = (...texts: string[]): string => texts.filter((text) => text !== '').join('\n')

/** Return a report that ends the state early: an invalid option, a system that is not booted, a missing service. */
async function hindrance(ctx: StateContext, service: Provider, request: Request, wording: Wording) {
  const { name, kwargs } = request
  const report = new Report(name)
  if (kwargs.has('enabled')) {
    const hint = 'Perhaps "enable" option was intended?'
    return report.set(false, `Service ${name} uses non-existent option "enabled".  ${hint}`)
  }
  if (service.has('offline') && truthy(await service.call('offline', []))) {
    return report.set(true, 'Running in OFFLINE mode. Nothing to do')
  }
  try {
    if (await exists(service, name)) return undefined
  } catch (error) {
    return report.set(false, complaint(error))
  }
  if (!ctx.test) return report.set(!wording.wanted, notAvailable(name))
  return report.set(
    null,
    `Service ${name} not present; if created in this state run, it would have been ${wording.wouldBe}`,
  )
}

async function isEnabled(ctx: StateContext, service: Provider, name: string, beforeStop = false): Promise<Value> {
  if (!service.has('enabled')) return true
  if (beforeStop && ctx.grains.get('kernel') === 'Windows') {
    const type = ((await service.call('info', [name])) as Dict).get('StartType') ?? null
    return type === 'Auto' || type === 'Manual'
  }
  return service.call('enabled', [name])
}

async function ensureActivity(ctx: StateContext, given: Request, wording: Wording): Promise<StateReturn> {
  const enable = typeof given.enable === 'string' ? isTrue(given.enable) : given.enable
  const request = { ...given, enable }
  ctx.memory.set('service.state', wording.sfun)
  const service = await providerOf(ctx)
  const hindered = await hindrance(ctx, service, request, wording)
  if (hindered) return hindered.state
  const { name, sig, kwargs } = request
  const report = new Report(name)
  const status = await service.call('status', [name, sig])
  const atBoot = await isEnabled(ctx, service, name, !wording.wanted)
  const isUnmasking = wording.wanted && truthy(kwargs.get('unmask') ?? false)
  const unmasking = isUnmasking
    ? await unmasked(ctx, service, name, truthy(kwargs.get('unmask_runtime') ?? false))
    : undefined
  const alsoUnmasked = str((unmasking?.comment ?? '') as Value)
  if (truthy(status) === wording.wanted) {
    report.comment = lines(`The service ${name} is ${wording.already}`, alsoUnmasked)
    const wrong = enable === true ? !truthy(atBoot) : enable === false && truthy(atBoot)
    if (wrong) report.take(await SWITCH.get(enable)!(ctx, service, { name, started: null, kwargs }))
    return report.state
  }
  if (ctx.test) return report.set(null, lines(`Service ${name} ${wording.foreseen}`, alsoUnmasked)).state
  const wasDone = await act(ctx, service, request, { report, wording, status, atBoot })
  if (wasDone && wording.wanted && truthy(request.init_delay)) {
    report.comment += `\nDelayed return for ${str(request.init_delay)} seconds`
  }
  if (wasDone && isUnmasking) report.comment += `\n${alsoUnmasked}`
  return report.state
}

interface Situation {
  report: Report
  wording: Wording
  status: Value
  atBoot: Value
}

/** Start or stop the service; return false when the attempt failed. */
async function act(
  ctx: StateContext,
  service: Provider,
  { name, enable: wanted, sig, init_delay, kwargs }: Request,
  { report, wording, status, atBoot }: Situation,
): Promise<boolean> {
  const { options, warnings } = await service.systemdOptions(wording.fun, kwargs)
  report.warn(warnings)
  const kernel = ctx.grains.get('kernel')
  const timeout = kwargs.get('timeout') ?? false
  if (kernel === 'Windows' && truthy(timeout)) options.set('timeout', timeout)
  let enable = wanted
  if (wording.wanted && (kernel === 'Darwin' || kernel === 'Windows') && !truthy(atBoot)) {
    if (!truthy(enable)) {
      report.set(false, `The service ${name} is disabled but enable is not True. ${ENABLE_IT}`)
      return false
    }
    report.take(await enableAtBoot(ctx, service, { name, started: null, kwargs }))
    enable = null
  }
  const atBootToo = async (started: boolean, result: boolean): Promise<void> => {
    const change = typeof enable === 'boolean' ? SWITCH.get(enable) : undefined
    if (change) report.take(await change(ctx, service, { name, started, result, kwargs }))
  }
  const outcome = await startOrStop(service, name, wording, options)
  if (typeof outcome === 'string') {
    report.set(false, outcome)
    return false
  }
  if (!outcome) {
    report.set(false, `Service ${name} ${wording.failed}`)
    await atBootToo(!wording.wanted, false)
    return false
  }
  if (isNumeric(init_delay) && truthy(init_delay)) await pause(ctx, numberOf(init_delay)!)
  const after = await service.call('status', wording.wanted ? [name, sig] : [name])
  const hasChanged = !equals(status, after) || !equals(atBoot, await isEnabled(ctx, service, name))
  if (hasChanged && report.changes.size === 0) report.changes.set(name, after)
  const isRight = truthy(after) === wording.wanted
  if (isRight) report.comment = wording.done.replace('%s', name)
  else report.set(false, `Service ${name} ${wording.failed}`)
  await atBootToo(truthy(after), isRight)
  return true
}

/** Return whether the function succeeded; the error text of a failed start. */
async function startOrStop(
  service: Provider,
  name: string,
  { fun }: Wording,
  options: Kwargs,
): Promise<boolean | string> {
  try {
    return truthy(await service.call(fun, [name], options))
  } catch (error) {
    if (fun === 'stop') throw error
    return complaint(error)
  }
}
