// Docker, through its command line program: containers, images, networks and volumes. A refusal of the daemon is an
// error with the status of the Engine's API.
import { type Dict, isDict, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, ret } from '../../../sdk/mod.ts'
import { docker, within } from './module/cli.ts'
import { containerFunctions } from './module/container-functions.ts'
import { imageFunctions } from './module/image-functions.ts'
import { insideFunctions } from './module/inside-functions.ts'
import { networkFunctions } from './module/network-functions.ts'
import { readingFunctions } from './module/reading-functions.ts'
import { transferFunctions } from './module/transfer-functions.ts'
import { upkeepFunctions } from './module/upkeep-functions.ts'

async function login(ctx: FunctionContext, registries: readonly Value[]) {
  const configured = await ctx.call('config.get', ['docker-registries'], { default: new Map() })
  const results: Dict = new Map()
  const errors: Value[] = []
  for (const [registry, credentials] of isDict(configured) ? configured : []) {
    if (registries.length > 0 && !registries.includes(registry)) continue
    const username = str(within(credentials, 'username'))
    const password = str(within(credentials, 'password'))
    try {
      const server = registry === 'hub' ? [] : [str(registry)]
      await docker(ctx, ['login', `--username=${username}`, '--password-stdin', ...server], password)
      results.set(registry, true)
    } catch (error) {
      if (!(error instanceof SaltError)) throw error
      results.set(registry, false)
      errors.push(error.message)
    }
  }
  return { Results: results, ...(errors.length > 0 ? { retcode: 1, Errors: errors } : { retcode: 0 }) }
}

export default defineModule({
  name: 'dockermod',
  virtual: 'docker',
  doc: 'Manage Docker.',
  when: async ({ host }) => (await host.which('docker')) !== undefined || 'The program docker was not found',
  functions: {
    ...readingFunctions,
    ...imageFunctions,
    ...containerFunctions,
    ...networkFunctions,
    ...transferFunctions,
    ...upkeepFunctions,
    ...insideFunctions,
    login: changes({
      doc: 'Log in to registries with the credentials of the option docker-registries.',
      args: { registries: arg.rest('Registries. Default: all of the option') },
      returns: ret.dict('`Results` by registry, `retcode` and `Errors`'),
      example: 'docker.login hub',
      run: (ctx, { registries }) => login(ctx, registries),
    }),
  },
})
