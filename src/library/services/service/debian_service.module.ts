// Services of Debian without systemd: init scripts, `service` and `update-rc.d`. Links in /etc/rc*.d enable a service in a
// runlevel.
import { shlexQuote, splitWords, type Value } from '../../../data/mod.ts'
import {
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  namesIn,
  outputOf,
  succeeds,
} from '../../../sdk/mod.ts'
import { action, listing, question, status, switching, switchQuestion } from './declare.ts'

const SYSTEMS: readonly Value[] = ['Debian', 'Raspbian', 'Devuan', 'NILinuxRT']

async function runlevel(ctx: FunctionContext): Promise<string> {
  const shown = await outputOf(ctx, 'runlevel')
  return shown.includes('unknown') ? '2' : splitWords(shown)[1]!
}

async function enabledServices(ctx: FunctionContext): Promise<string[]> {
  const found = new Set<string>()
  for (const level of ['S', ...(await runlevel(ctx))]) {
    for (const name of await namesIn(ctx.host, `/etc/rc${level}.d`)) {
      if (name.startsWith('S')) found.add(name.split(/\d+/).at(-1)!)
    }
  }
  return [...found].sort()
}

async function allServices(ctx: FunctionContext): Promise<string[]> {
  const scripts = (await namesIn(ctx.host, '/etc/init.d')).filter((name) => name !== 'README' && !name.startsWith('.'))
  return [...new Set([...scripts, ...(await enabledServices(ctx))])].sort()
}

async function disabledServices(ctx: FunctionContext): Promise<string[]> {
  const enabled = new Set(await enabledServices(ctx))
  return (await allServices(ctx)).filter((name) => !enabled.has(name))
}

const service = (verb: string) => (ctx: FunctionContext, name: string) => succeeds(ctx, `service ${name} ${verb}`)

export default defineModule({
  name: 'debian_service',
  doc: 'Manage services of Debian without systemd.',
  virtual: 'service',
  when: async ({ grains, host }) =>
    (SYSTEMS.includes(grains.get('os') ?? null) && !(await isBootedWithSystemd(host))) ||
    'The debian_service module could not be loaded: unsupported OS family and/or systemd running.',
  functions: {
    get_enabled: listing('get_enabled', enabledServices),
    get_disabled: listing('get_disabled', disabledServices),
    available: question('available', async (ctx, name) => (await allServices(ctx)).includes(name)),
    missing: question('missing', async (ctx, name) => !(await allServices(ctx)).includes(name)),
    get_all: listing('get_all', allServices),
    start: action('start', service('start')),
    stop: action('stop', service('stop')),
    restart: action('restart', service('restart')),
    reload: action('reload', service('reload')),
    force_reload: action('force_reload', service('force-reload')),
    status: status({
      all: allServices,
      isRunning: (ctx, name) => succeeds(ctx, `service ${name} status`, { ignore_retcode: true }),
    }),
    enable: switching('enable', (ctx, name) => {
      const quoted = shlexQuote(name)
      return succeeds(ctx, `insserv ${quoted} && update-rc.d ${quoted} enable`, { python_shell: true })
    }),
    disable: switching('disable', (ctx, name) => succeeds(ctx, `update-rc.d ${name} disable`)),
    enabled: switchQuestion('enabled', async (ctx, name) => (await enabledServices(ctx)).includes(name)),
    disabled: question('disabled', async (ctx, name) => (await disabledServices(ctx)).includes(name)),
  },
})
