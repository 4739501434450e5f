import { describe, expect, test } from 'vitest'
import { failure, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Trial, tryFunction, tryState } from '../../../sdk/mod.ts'
import locale from './module.ts'
import states from './state.ts'

/** A machine with one locale, to which `locale.gen_locale` can add those of Debian. */
function machine() {
  const available = new Set(['C.UTF-8'])
  let system = 'C.UTF-8'
  const others: NonNullable<Trial['others']> = {
    'locale.get_locale': () => system,
    'locale.set_locale': ([name]) => {
      if (name === 'broken') throw failure('Cannot set locale: "update-locale" was not found.')
      if (name === 'refused') return false
      system = name as string
      return true
    },
    'locale.avail': ([name]) => available.has(name as string),
    'locale.gen_locale': ([name]) => {
      if (name === 'xx_XX.UTF-8') return false
      available.add(name as string)
      return true
    },
  }
  return async (fun: string, name: string, test = false) =>
    toPlain(await tryState(states, fun, { kwargs: { name }, others, test }))
}

describe('locale', () => {
  test('the state system sets the locale once', async () => {
    const apply = machine()
    const name = 'de_DE.UTF-8'
    expect(await apply('system', name, true)).toMatchObject({
      result: null,
      comment: `System locale ${name} needs to be set`,
    })
    expect(await apply('system', name)).toMatchObject({ result: true, changes: { locale: name } })
    expect(await apply('system', name)).toMatchObject({
      result: true,
      changes: {},
      comment: `System locale ${name} already set`,
    })
    expect(await apply('system', 'refused')).toMatchObject({
      result: false,
      comment: 'Failed to set system locale to refused',
    })
    expect(await apply('system', 'broken')).toMatchObject({
      result: false,
      comment: 'Failed to set system locale: Cannot set locale: "update-locale" was not found.',
    })
  })

  test('the state present generates a locale once', async () => {
    const apply = machine()
    const name = 'de_DE.UTF-8'
    expect(await apply('present', name, true)).toMatchObject({
      result: null,
      comment: `Locale ${name} needs to be generated`,
    })
    expect(await apply('present', name)).toMatchObject({ result: true, changes: { locale: name } })
    expect(await apply('present', name)).toMatchObject({ result: true, changes: {} })
    expect(await apply('present', 'xx_XX.UTF-8')).toMatchObject({ result: false, changes: {} })
  })

  test.each(['de\nLD_PRELOAD=/tmp/x.so', '$(reboot)', 'de" X="', 'de_DE LC_ALL=x', '-x'])(
    'set_locale refuses %j, which would reach the environment of all users',
    async (name) => {
      const grains = new Map<Value, Value>([['os_family', 'Debian']])
      const host = await MemoryHost.with({ files: { '/usr/sbin/update-locale': { text: '', mode: 0o755 } } })
      await expect(tryFunction(locale, 'set_locale', { args: [name], grains, host })).rejects.toThrow('Invalid locale')
    },
  )
})
