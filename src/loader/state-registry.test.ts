import { describe, expect, test } from 'vitest'
import { MemoryHost } from '../host/mod.ts'
import { defineState, state } from '../sdk/mod.ts'
import { StateRegistry, type StateTable } from './state-registry.ts'
import { stateTable } from './state-table.ts'

const installed = state({
  doc: 'Be there.',
  args: {},
  run: () => ({ name: 'n', result: true, changes: {}, comment: '' }),
})
const apt = defineState({
  name: 'apt',
  virtual: 'pkg',
  doc: 'Packages.',
  when: ({ grains }) => grains.get('os') === 'Debian' || 'not Debian',
  functions: { installed, mod_watch: installed },
  modAggregate: (_ctx, low) => low,
})
const table: StateTable = {
  pkg: [{ functions: ['installed', 'mod_watch'], hooks: ['mod_aggregate'], load: async () => ({ default: apt }) }],
}
const registry = (os: string) =>
  new StateRegistry(table, { opts: new Map(), grains: new Map([['os', os]]), host: new MemoryHost() })

describe('the registry of states', () => {
  test('knows functions and hooks before and after a module is loaded', async () => {
    const states = registry('Debian')
    const names = ['pkg.installed', 'pkg.mod_watch', 'pkg.mod_aggregate', 'pkg.mod_init', 'none.x']
    const known = [true, true, true, false, false]
    expect(names.map((name) => states.has(name))).toEqual(known)
    expect(await states.load('pkg')).toBe(apt)
    expect(names.map((name) => states.has(name))).toEqual(known)
    expect(states.get('pkg.installed')).toBe(installed)
  })

  test('says why a module is not for this minion', async () => {
    const states = registry('Plan9')
    expect(await states.load('pkg')).toBeUndefined()
    expect(states.has('pkg.installed')).toBe(false)
    expect(states.missing('pkg.installed')).toBe("'pkg' __virtual__ returned False: not Debian")
    expect(states.missing('no.such')).toBe("'no.such' is not available.")
    expect(states.missing('win_lgpo.set')).toContain('it is for Windows')
  })

  test('chooses anew after a reload, as when a package has brought what a module needs', async () => {
    let verdict: true | string = 'no crontab'
    const cron = { ...apt, when: () => verdict }
    const entry = { functions: ['installed'], load: async () => ({ default: cron }) }
    const host = new MemoryHost()
    const states = new StateRegistry({ cron: [entry] }, { opts: new Map(), grains: new Map(), host })
    expect(await states.load('cron')).toBeUndefined()
    verdict = true
    expect(await states.load('cron')).toBeUndefined()
    states.reload()
    expect(await states.load('cron')).toBe(cron)
  })
})

describe('the table of states', () => {
  test('leads to states that say what they and their parameters are', async () => {
    for (const entry of Object.values(stateTable).flat()) {
      const { default: declaration } = await entry.load()
      for (const [name, { doc, args }] of Object.entries(declaration.functions)) {
        expect(doc, name).toMatch(/\.$/)
        for (const [parameter, { doc: meaning }] of Object.entries(args)) expect(meaning, parameter).not.toBe('')
      }
    }
  })
})
