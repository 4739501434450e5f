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
  const known: Dict = isDict(configured) ? configured : new Map()
  const results: Dict = new Map()
  const errors: Value[] = isDict(configured) ? [] : ["'docker-registries' Pillar value must be a dictionary"]
  for (const registry of registries.length > 0 ? registries.map(str) : [...known.keys()].map(str)) {
    const problem = credentialProblem(known, registry)
    if (problem !== undefined) {
      errors.push(`${problem} for registry '${registry}'`)
      continue
    }
    const [username, password] = ['username', 'password'].map((field) => str(within(known.get(registry)!, field)))
    try {
      const server = registry.toLowerCase() === 'hub' ? [] : ['--', registry]
      await docker(ctx, ['login', `--username=${username}`, '--password-stdin', ...server], password)
      results.set(registry, true)
    } catch (error) {
      if (!(error instanceof SaltError)) throw error
      results.set(registry, false)
      errors.push(error.message)
    }
  }
  return { retcode: errors.length > 0 ? 1 : 0, Errors: errors, Results: results }
}

/** Return the missing credentials for a registry, as the start of a sentence. */
function credentialProblem(known: Dict, registry: string): string | undefined {
  const credentials = known.get(registry)
  if (credentials === undefined) return 'No match found'
  if (!isDict(credentials)) return 'Invalid configuration'
  const missing = ['username', 'password'].find((field) => !credentials.has(field))
  return missing && `Missing '${missing}'`
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
