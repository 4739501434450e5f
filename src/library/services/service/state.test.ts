import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { arg, type Keywords, reads, tryState } from '../../../sdk/mod.ts'
import service from './state.ts'

interface World {
  runs?: boolean
  atBoot?: boolean
  masked?: boolean
  missing?: boolean
  systemd?: boolean
  lacks?: string[]
}

/** A machine with one service, and a provider that takes systemd's options. */
function world({ runs = false, atBoot = false, masked = false, missing = false, systemd = true, lacks = [] }: World) {
  const now = { runs, atBoot, masked }
  const done: string[] = []
  const set = (what: string, changes: Partial<typeof now>) => (_: readonly Value[], kwargs: Keywords) => {
    const options = [...new Map(kwargs instanceof Map ? kwargs : Object.entries(kwargs)).keys()]
    done.push([what, ...options].join(' '))
    Object.assign(now, changes)
    return true
  }
  const functions: Record<string, (args: readonly Value[], kwargs: Keywords) => Value> = {
    available: () => !missing,
    status: () => now.runs,
    enabled: () => now.atBoot,
    disabled: () => !now.atBoot,
    masked: () => now.masked,
    start: set('start', { runs: true }),
    stop: set('stop', { runs: false }),
    restart: set('restart', {}),
    reload: set('reload', {}),
    enable: set('enable', { atBoot: true }),
    disable: set('disable', { atBoot: false }),
    mask: set('mask', { masked: true }),
    unmask: set('unmask', { masked: false }),
  }
  for (const name of lacks) delete functions[name]
  const declared = Object.keys(functions).map((name) => {
    const args = { name: arg.any('It'), no_block: arg.any('Whether', { default: false }) }
    return [name, reads({ doc: 'A function.', args, run: () => null })] as const
  })
  const module = async () => ({ name: 'service', doc: '', functions: Object.fromEntries(declared) })
  const others = Object.fromEntries(Object.entries(functions).map(([name, run]) => [`service.${name}`, run]))
  const apply = async (fun: string, kwargs: Record<string, Value> = {}, test = false) => {
    const host = await MemoryHost.with({ files: systemd ? { '/run/systemd/system/': '' } : {} })
    const trial = { args: ['web'], kwargs, others, host, test, context: { module } }
    return toPlain(await tryState(service, fun, trial)) as Record<string, unknown>
  }
  return { apply, done }
}

describe('service states', () => {
  test.each<[string, World, Record<string, Value>, unknown, string, unknown]>([
    ['running', {}, {}, true, 'Started service web', { web: true }],
    ['running', { runs: true }, {}, true, 'The service web is already running', {}],
    [
      'running',
      { runs: true },
      { enable: true },
      true,
      'Service web has been enabled, and is in the desired state',
      { web: true },
    ],
    ['running', {}, { enable: 'true' }, true, 'Service web has been enabled, and is running', { web: true }],
    ['running', { missing: true }, {}, false, 'The named service web is not available', {}],
    ['dead', { runs: true }, {}, true, 'Service web was killed', { web: false }],
    [
      'dead',
      { runs: true, atBoot: true },
      { enable: false },
      true,
      'Service web has been disabled, and is dead',
      { web: true },
    ],
    ['dead', { missing: true }, {}, true, 'The named service web is not available', {}],
    ['enabled', { atBoot: true }, {}, true, 'Service web is already enabled, and is in the desired state', {}],
    ['disabled', {}, {}, true, 'Service web is already disabled, and is in the desired state', {}],
    ['masked', {}, {}, true, 'Service web was masked', { masked: { old: false, new: true } }],
    [
      'unmasked',
      { masked: true },
      { runtime: true },
      true,
      'Service web was runtime unmasked',
      { 'runtime masked': { old: true, new: false } },
    ],
    ['masked', { lacks: ['masked'] }, {}, false, 'Service masking not available on this minion', {}],
    ['mod_watch', { runs: true }, { sfun: 'running' }, true, 'Service restarted', { web: true }],
    ['mod_watch', { runs: true }, { sfun: 'running', reload: true }, true, 'Service reloaded', { web: true }],
    ['mod_watch', {}, { sfun: 'running' }, true, 'Service started', { web: true }],
    ['mod_watch', {}, { sfun: 'enabled' }, false, 'Unable to trigger watch for service.enabled', {}],
  ])('%s of %j with %j', async (fun, machine, kwargs, result, comment, changes) => {
    expect(await world(machine).apply(fun, kwargs)).toEqual({ name: 'web', result, comment, changes })
  })

  test.each<[string, World, Record<string, Value>, string]>([
    ['running', {}, {}, 'Service web is set to start'],
    [
      'running',
      { missing: true },
      {},
      'Service web not present; if created in this state run, it would have been started',
    ],
    ['dead', { runs: true }, {}, 'Service web is set to be killed'],
    ['enabled', {}, {}, 'Service web set to be enabled'],
    ['mod_watch', { runs: true }, { sfun: 'running', reload: true }, 'Service is set to be reloaded'],
  ])('%s foretells for %j with %j', async (fun, machine, kwargs, comment) => {
    const { apply, done } = world(machine)
    expect(await apply(fun, kwargs, true)).toMatchObject({ result: null, comment, changes: {} })
    expect(done).toEqual([])
  })

  test('hand options for systemd on where it runs, and warn elsewhere', async () => {
    const here = world({})
    await here.apply('running', { no_block: true })
    expect(here.done).toEqual(['start no_block'])
    const elsewhere = world({ systemd: false })
    expect(await elsewhere.apply('running', { no_block: true })).toMatchObject({
      result: true,
      warnings: ["The 'no_block' argument is not supported by this platform"],
    })
    expect(elsewhere.done).toEqual(['start'])
  })

  test('refuse the option that is often mistaken for enable', async () => {
    const { comment } = await world({}).apply('running', { enabled: true })
    expect(comment).toBe('Service web uses non-existent option "enabled".  Perhaps "enable" option was intended?')
  })
})
