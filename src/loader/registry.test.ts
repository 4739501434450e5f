import { describe, expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { arg, defineModule, type ModuleDeclaration, reads } from '../sdk/mod.ts'
import { LoaderError } from './errors.ts'
import type { ModuleTable } from './module-entry.ts'
import { moduleTable } from './module-table.ts'
import { Registry, type RegistryContext } from './registry.ts'

const context = (changes: Partial<RegistryContext> = {}): RegistryContext => ({
  opts: new Map<Value, Value>([['id', 'web1']]),
  grains: new Map(),
  pillar: new Map(),
  ...changes,
})

const apt = defineModule({
  name: 'aptpkg',
  doc: 'Debian packages.',
  virtual: 'pkg',
  when: ({ grains }) => grains.get('os_family') === 'Debian' || 'not Debian',
  functions: { which: reads({ doc: 'Its name.', args: {}, run: () => 'apt' }) },
})
const yum = defineModule({
  ...apt,
  name: 'yumpkg',
  when: ({ grains }) => grains.get('os_family') === 'RedHat' || 'not Red Hat',
  functions: {
    which: reads({ doc: 'Its name.', args: {}, run: () => 'yum' }),
    add: reads({
      doc: 'A sum.',
      args: { a: arg.integer('One'), b: arg.integer('Other') },
      run: (_ctx, { a, b }) => Number(a) + Number(b),
    }),
  },
})
let loads = 0
const table: ModuleTable = {
  pkg: [
    { functions: ['which'], load: async () => ({ default: apt }) },
    {
      functions: ['which', 'add'],
      load: async () => {
        loads++
        return { default: yum }
      },
    },
  ],
}
const anywhere = (load: () => Promise<{ default: ModuleDeclaration }>) => async () => {
  const { when: _, ...declaration } = (await load()).default
  return { default: declaration }
}
const redHat = () => new Registry(table, context({ grains: new Map([['os_family', 'RedHat']]) }))

describe('the registry', () => {
  test.each([
    ['cassandra_cql.version', 'it needs the Python library cassandra-driver;'],
    ['napalm.call', 'it is for network devices and needs'],
    ['win_lgpo.set', 'it is for Windows, and minions run on Linux'],
  ])('says why Brine does not have %s of Salt', (name, reason) => {
    const [module] = name.split('.')
    const text = `'${module}' __virtual__ returned False: Brine does not include this module: ${reason}`
    expect(() => redHat().call(name)).toThrow(text)
  })

  test('takes the first module of a name that can serve the minion', async () => {
    expect(await redHat().call('pkg.which')).toBe('yum')
  })

  test('knows which functions serve the minion, without looking into modules that serve all', async () => {
    const functions = new Registry(
      {
        ...table,
        test: [
          {
            functions: ['ping'],
            always: true,
            load: async () => {
              throw new Error('was looked into')
            },
          },
        ],
      },
      context({ grains: new Map([['os_family', 'Debian']]) }),
    )
    const names = ['test.ping', 'test.nosuch', 'pkg.which', 'pkg.add']
    expect(await Promise.all(names.map((name) => functions.serves(name)))).toEqual([true, false, true, false])
  })

  test('takes from further modules of the name what the first one lacks', async () => {
    const both: ModuleTable = { pkg: table['pkg']!.map(({ functions, load }) => ({ functions, load: anywhere(load) })) }
    const registry = new Registry(both, context())
    expect([await registry.call('pkg.which'), await registry.call('pkg.add', [1, 2])]).toEqual(['apt', 3])
  })

  test('imports a module once, at its first call, and then answers without waiting', async () => {
    loads = 0
    const registry = redHat()
    const calls = await Promise.all([registry.call('pkg.add', [1, 2]), registry.call('pkg.add', [], { a: 3, b: 4 })])
    expect([calls, loads]).toEqual([[3, 7], 1])
    expect(registry.call('pkg.add', [1, 1])).toBe(2)
  })

  test('reports why no module of a name supports the minion', async () => {
    const registry = new Registry(table, context())
    await expect(registry.call('pkg.which')).rejects.toThrow(
      "'pkg' __virtual__ returned False: not Debian; not Red Hat",
    )
  })

  test('answers an unknown function with the nearest names', () => {
    try {
      redHat().call('pkg.wich')
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(LoaderError)
      expect((error as LoaderError).message).toBe("'pkg.wich' is not available.")
      expect((error as LoaderError).hint).toBe("Did you mean 'pkg.which'?")
    }
  })

  test('has none but the modules that whitelist_modules names', () => {
    const registry = new Registry(table, context({ opts: new Map([['whitelist_modules', ['pkg']]]) }))
    expect([...registry.names()].every((name) => name.startsWith('pkg.'))).toBe(true)
    expect([...registry.names()].length).toBeGreaterThan(0)
  })

  test('hides the modules that disable_modules names', () => {
    const registry = new Registry(table, context({ opts: new Map([['disable_modules', ['pkg']]]) }))
    expect([registry.has('pkg.which'), registry.hasModule('pkg')]).toEqual([false, false])
  })

  test('takes the provider that the options name', async () => {
    const providers = new Map<Value, Value>([['pkg', 'yumpkg']])
    const registry = new Registry(table, context({ opts: new Map<Value, Value>([['providers', providers]]) }))
    expect(await registry.call('pkg.which')).toBe('yum')
  })

  test('takes another provider for a while', async () => {
    const registry = redHat()
    const other = await registry.providing(new Map([['pkg', 'aptpkg']]))
    expect([await other.call('pkg.which'), await registry.call('pkg.which')]).toEqual(['apt', 'yum'])
  })

  test('serves another context with the modules it has loaded', async () => {
    const registry = new Registry(moduleTable, context({ pillar: new Map([['a', 'secret']]) }))
    expect(await registry.call('pillar.get', ['a'])).toBe('**********')
    expect(registry.with({ masked: false }).call('pillar.get', ['a'])).toBe('secret')
  })
})

describe('the table of modules', () => {
  test('names exactly the functions that the modules declare', async () => {
    for (const [name, entries] of Object.entries(moduleTable)) {
      for (const { functions, load } of entries) {
        const { default: declaration } = await load()
        expect(declaration.virtual ?? declaration.name).toBe(name)
        expect(Object.keys(declaration.functions)).toEqual(functions)
      }
    }
  })

  test('leads to functions that say what they and their parameters are', async () => {
    for (const entry of Object.values(moduleTable).flat()) {
      const { default: declaration } = await entry.load()
      for (const [name, { doc, args }] of Object.entries(declaration.functions)) {
        expect(doc, name).toMatch(/\.$/)
        for (const [parameter, { doc: meaning }] of Object.entries(args)) expect(meaning, parameter).not.toBe('')
      }
    }
  })
})
