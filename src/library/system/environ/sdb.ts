// `env`: values of environment variables.
import { PyError, typeName } from '../../../data/mod.ts'
import { defineSdb } from '../../../sdk/mod.ts'

export default defineSdb({
  name: 'env',
  doc: 'Environment variables of the process. Setting one that has a value already changes nothing.',
  args: {},
  get: async ({ host }, key) => (await host.env()).get(key),
  set: async ({ host }, key, value) => {
    const known = (await host.env()).get(key)
    if (known !== undefined) return known
    if (typeof value !== 'string') throw new PyError('TypeError', `str expected, not ${typeName(value)}`)
    await host.setEnv(key, value)
    return value
  },
})
