// Docker, through its command line program: containers, images, networks and volumes. A refusal of the daemon is an
// error with the number that its API gives it.
import { type Dict, isDict, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, ret } from '../../../sdk/mod.ts'
import { telling } from './module/asking-functions.ts'
import { docker, within } from './module/cli.ts'
import { inside, lifecycle } from './module/container-functions.ts'
import { pictures } from './module/image-functions.ts'
import { networks, volumes } from './module/network-functions.ts'

async function login(ctx: FunctionContext, registries: readonly Value[]): Promise<Dict> {
  const configured = await ctx.call('config.get', ['docker-registries'], { default: new Map() })
  const results: Dict = new Map()
  const errors: Value[] = []
  for (const [registry, credentials] of isDict(configured) ? configured : []) {
    if (registries.length > 0 && !registries.includes(registry)) continue
    const [username, password] = ['username', 'password'].map((key) => str(within(credentials, key)))
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
  return new Map<Value, Value>([
    ['Results', results],
    ['retcode', errors.length > 0 ? 1 : 0],
    ...(errors.length > 0 ? ([['Errors', errors]] as [Value, Value][]) : []),
  ])
}

export default defineModule({
  name: 'dockermod',
  virtual: 'docker',
  doc: 'Work with Docker.',
  when: async ({ host }) => (await host.which('docker')) !== undefined || 'The program docker was not found',
  functions: {
    ...telling,
    ...pictures,
    ...lifecycle,
    ...inside,
    ...networks,
    ...volumes,
    login: changes({
      doc: 'Log in to registries, with what the option docker-registries says.',
      args: { registries: arg.rest('Only these') },
      returns: ret.dict('Whether each worked'),
      example: 'docker.login hub',
      run: (ctx, { registries }) => login(ctx, registries),
    }),
  },
})
